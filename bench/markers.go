package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// The program with many markers has markerPackages packages of markedFunctions functions each, of
// which hotFunctions per package are called on all processors.
const (
	markerPackages  = 100
	markedFunctions = 1000
	hotFunctions    = 10
	markerProcs     = 64
)

// A markerSide is one way to run the program with many markers.
type markerSide struct {
	name, program string
	environ       []string
}

// markerSides builds the program with many markers, once, and returns its sides: plain; marked and
// inert; marked and collecting.
func (b *bench) markerSides(ctx context.Context) ([]markerSide, error) {
	dir := filepath.Join(b.work, "markers")
	sides := []markerSide{
		{"plain", filepath.Join(dir, "plain"), nil},
		{"inert", filepath.Join(dir, "marked"), nil},
		{"collecting", filepath.Join(dir, "marked"), []string{b.inFile("markers")}},
	}
	if _, err := os.Stat(dir); err == nil {
		return sides, nil
	}
	if err := writeMarkers(dir); err != nil {
		return nil, err
	}
	if _, err := runProcess(ctx, dir, nil, "go", "build", "-o", "plain", "."); err != nil {
		return nil, err
	}
	_, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", "marked", ".")
	return sides, err
}

// writeMarkers writes the program's source. The functions are in a table, so that the linker keeps
// the ones that are never called.
func writeMarkers(dir string) error {
	write := func(name, text string) error {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(text), 0o666)
	}
	var imports, tables strings.Builder
	for p := range markerPackages {
		var functions, table strings.Builder
		for f := range markedFunctions {
			fmt.Fprintf(&functions, "\n//perf:mark\n//go:noinline\nfunc f%d(x int) int { return x + %d }\n", f, f)
			fmt.Fprintf(&table, "f%d, ", f)
		}
		name := fmt.Sprintf("p%03d", p)
		text := fmt.Sprintf("package %s\n\nvar All = []func(int) int{%s}\n%s", name, table.String(), functions.String())
		if err := write(name+"/f.go", text); err != nil {
			return err
		}
		fmt.Fprintf(&imports, "\t%q\n", "markers/"+name)
		fmt.Fprintf(&tables, "\t%s.All,\n", name)
	}
	if err := write("go.mod", "module markers\n\ngo 1.26\n"); err != nil {
		return err
	}
	calls := fmt.Sprintf(callHot, markedFunctions/hotFunctions)
	return write("main.go", fmt.Sprintf(callingMain, imports.String(), "\ttables = [][]func(int) int{\n"+tables.String()+"\t}\n", calls))
}

// callHot calls the hot functions; %d is how far they are apart.
const callHot = `			x := 0
			for range 100 {
				for _, table := range tables {
					for f := 0; f < len(table); f += %d {
						x = table[f](x)
					}
				}
			}`

// callingMain is a program that, with the argument start, prints the time at which main began.
// Otherwise it makes calls on all processors at once and prints /proc/self/status. Its three parts to be
// filled in are imports, variables and the calls.
const callingMain = `package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

%s)

var (
%s)

func main() {
	begun := time.Now()
	if os.Args[1] == "start" {
		fmt.Println(begun.UnixNano())
		return
	}
	var all sync.WaitGroup
	var there atomic.Int64
	procs := runtime.GOMAXPROCS(0)
	for range procs {
		all.Go(func() {
			// Who is here keeps a processor until there is one for each.
			for there.Add(1); there.Load() < int64(procs); {
			}
%s
		})
	}
	all.Wait()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(status)
}
`

// markers measures the memory of markers and of per-processor data.
func (b *bench) markers(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		fmt.Println("markers: measured on Linux only")
		return nil
	}
	sides, err := b.markerSides(ctx)
	if err != nil {
		return err
	}
	sizes := map[string][]float64{} // VmHWM by side, MiB
	for range b.roundsOr(7) {
		for _, s := range sides {
			text, err := output(ctx, b.work, append(s.environ, fmt.Sprintf("GOMAXPROCS=%d", markerProcs)), s.program, "call")
			if err != nil {
				return err
			}
			resident, most := memorySize(string(text), "VmRSS"), memorySize(string(text), "VmHWM")
			sizes[s.name] = append(sizes[s.name], most/(1<<20))
			err = b.results.add("markers/"+s.name+".txt", "Markers", 1,
				benchfmt.Value{Value: most, Unit: "peak-B"},
				benchfmt.Value{Value: resident, Unit: "rss-B"},
				benchfmt.Value{Value: memorySize(string(text), "RssAnon"), Unit: "anonymous-B"},
				benchfmt.Value{Value: memorySize(string(text), "RssFile"), Unit: "file-B"},
				benchfmt.Value{Value: memorySize(string(text), "RssShmem"), Unit: "shared-B"})
			if err != nil {
				return err
			}
		}
	}
	plain, inert, collecting := median(sizes["plain"]), median(sizes["inert"]), median(sizes["collecting"])
	remark := fmt.Sprintf("resident at most: plain %.1f, inert %.1f, collecting %.1f", plain, inert, collecting)
	b.record("memory added by 100,000 markers, 64 processors", atMost(64).in("MiB"), collecting-plain, remark)
	b.record("the same, against inert", bar{unit: "MiB"}, collecting-inert, "")
	b.record("inert against plain", bar{unit: "MiB"}, inert-plain, "the text of marked functions, of which those called are in every part")
	return nil
}

// start measures by how much many markers delay main.
func (b *bench) start(ctx context.Context) error {
	sides, err := b.markerSides(ctx)
	if err != nil {
		return err
	}
	times := map[string][]float64{} // ms by side
	for round := range b.roundsOr(101) {
		for i := range sides {
			s := sides[(i+round)%len(sides)]
			if err := os.Remove(b.dataFile("markers")); err != nil && !os.IsNotExist(err) { // removing the previous file would add to the start time
				return err
			}
			ns, err := untilMain(ctx, b.work, s.environ, s.program, "start")
			if err != nil {
				return err
			}
			times[s.name] = append(times[s.name], ns/1e6)
			if err := b.addSeconds("start/"+s.name+".txt", "Start", ns); err != nil {
				return err
			}
		}
	}
	plain, inert, collecting := median(times["plain"]), median(times["inert"]), median(times["collecting"])
	remark := fmt.Sprintf("median of processes: plain %.2f ms, inert %.2f, collecting %.2f; the quickest: %.2f, %.2f, %.2f",
		plain, inert, collecting, fewest(times["plain"]), fewest(times["inert"]), fewest(times["collecting"]))
	b.record("added by 100,000 markers, collecting", atMost(2).in("ms"), collecting-plain, remark)
	b.record("the same, inert", bar{unit: "ms"}, inert-plain, "")
	return nil
}
