package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/heap"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
	rt "github.com/markgen/markgen/runtime"
)

// A rewriteTime is the result of rewriteChild: the CPU time in seconds for all the source.
type rewriteTime struct {
	Source           float64 // bytes
	Overlay, InPlace float64
	Packages         int
	Points           int
	Declined         int // packages that InPlace rejects
}

// rewriting measures how many bytes of source per second one core plans and writes: every package
// of the standard library, all of its points marked, from the source in memory to the marked source
// in memory.
func (b *bench) rewriting(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	root, err := goRoot(ctx)
	if err != nil {
		return err
	}
	var overlays, inPlaces []float64
	for range b.roundsOr(7) {
		text, err := output(ctx, root, []string{"GOMAXPROCS=1"}, self, "-rewrite-child")
		if err != nil {
			return err
		}
		var t rewriteTime
		if err := json.Unmarshal(text, &t); err != nil {
			return err
		}
		for _, m := range []struct {
			name    string
			seconds float64
			speeds  *[]float64
		}{{"Overlay", t.Overlay, &overlays}, {"InPlace", t.InPlace, &inPlaces}} {
			speed := t.Source / m.seconds
			*m.speeds = append(*m.speeds, speed/1e6)
			err := b.results.add("rewrite/std.txt", "Rewrite/"+m.name, 1,
				benchfmt.Value{Value: m.seconds, Unit: "sec/op"}, benchfmt.Value{Value: speed, Unit: "B/s"})
			if err != nil {
				return err
			}
		}
	}
	b.record("source planned and written by one core, overlay", atLeast(15).in("MB/s"), median(overlays), "rounds: "+list(overlays, "%.1f"))
	b.record("source planned and written by one core, in place", atLeast(0.5).in("MB/s"), median(inPlaces), "rounds: "+list(inPlaces, "%.2f"))
	return nil
}

// rewriteChild marks the standard library once in each way, with the garbage collector tuned as
// markgen tunes it. The times include garbage collection.
func rewriteChild(w io.Writer) error {
	runtime.GOMAXPROCS(1)
	var t rewriteTime
	type source struct {
		path  string
		files []rewrite.Source
		size  int
	}
	var packages []source
	err := eachPackage(filepath.Join(runtime.GOROOT(), "src"), func(path string, files []rewrite.Source) error {
		size := 0
		for _, f := range files {
			size += len(f.Text)
		}
		t.Source += float64(size)
		packages = append(packages, source{path, files, size})
		return nil
	})
	if err != nil {
		return err
	}
	t.Packages = len(packages)
	measure := func(perByte int, write func(u *rewrite.Unit) error) (seconds float64, err error) {
		runtime.GC()
		begin := processorTime()
		pace := heap.Pace{PerByte: perByte}
		defer pace.Restore()
		for _, p := range packages {
			pace.Begin(p.size)
			u, err := planned(p.path, p.files)
			if err != nil {
				return 0, err
			}
			if err := write(u); err != nil {
				return 0, err
			}
			pace.End(p.size)
		}
		return (processorTime() - begin).Seconds(), nil
	}
	t.Overlay, err = measure(heap.Overlay, func(u *rewrite.Unit) error {
		t.Points += len(u.Points)
		_, err := u.Overlay(rewrite.Overlay{Runtime: rt.VirtualPerf})
		return err
	})
	if err != nil {
		return err
	}
	t.InPlace, err = measure(heap.InPlace, func(u *rewrite.Unit) error {
		if _, err := inplace.Mark(u, inplace.Options{Runtime: "github.com/markgen/markgen/runtime/perf"}); err != nil {
			t.Declined++
		}
		return nil
	})
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(t)
}

// planned prepares a package as a build does, up to the writer.
func planned(path string, files []rewrite.Source) (*rewrite.Unit, error) {
	u, err := rewrite.Load(path, files)
	if err != nil {
		return nil, err
	}
	if err := u.Find(rewrite.Options{All: true}); err != nil {
		return nil, err
	}
	ids, _ := new(registry.Registry).Assign([]string{path}, u.RegistryPoints())
	u.SetIDs(ids)
	return u, nil
}

// eachPackage calls visit for each package below src that builds on this platform.
func eachPackage(src string, visit func(path string, files []rewrite.Source) error) error {
	return filepath.WalkDir(src, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		switch d.Name() {
		case "testdata", "vendor", "cmd":
			return filepath.SkipDir
		}
		p, err := build.ImportDir(dir, 0)
		if err != nil {
			return nil // no package for this platform
		}
		var files []rewrite.Source
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			files = append(files, rewrite.Source{Name: filepath.Join(dir, name), Text: text})
		}
		if len(files) == 0 {
			return nil
		}
		return visit(filepath.ToSlash(strings.TrimPrefix(dir, src+string(filepath.Separator))), files)
	})
}

// memory measures the peak memory of the markgen process while it marks the packages of the
// standard library: the maximum resident size of the process, minus that for a command with one
// empty program, divided by the size of the largest package's source. With -n, go compiles nothing.
func (b *bench) memory(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		fmt.Println("memory: measured on Linux only")
		return nil
	}
	root, err := goRoot(ctx)
	if err != nil {
		return err
	}
	empty := filepath.Join(b.work, "empty")
	if err := os.Mkdir(empty, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(empty, "go.mod"), []byte("module empty\n"), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(empty, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		return err
	}
	largest, name, err := largestPackage(ctx, root)
	if err != nil {
		return err
	}
	var ratios []float64
	for i := range b.roundsOr(7) {
		var peaks [2]float64
		for side, words := range [][]string{{"-all", "-n", "."}, {"-all", "-markpkg", "std", "-n", "std"}} {
			cache := filepath.Join(b.work, fmt.Sprintf("memory-%d-%d", i, side))
			p, err := runProcess(ctx, empty, []string{"MARKGENCACHE=" + cache}, append([]string{b.markgen, "build"}, words...)...)
			if err != nil {
				return err
			}
			if err := removeAll(cache); err != nil {
				return err
			}
			peaks[side] = p.peak
			file := []string{"memory/empty.txt", "memory/std.txt"}[side]
			if err := b.results.add(file, "Memory", 1, append(p.values(), benchfmt.Value{Value: p.peak, Unit: "peak-B"})...); err != nil {
				return err
			}
		}
		ratios = append(ratios, (peaks[1]-peaks[0])/largest)
	}
	b.record("peak memory of markgen over the largest package's source", atMost(20), median(ratios),
		fmt.Sprintf("%s, %.2f MB; rounds: %s", name, largest/1e6, list(ratios, "%.1f")))
	return nil
}

// largestPackage returns the size in bytes and the path of the largest package that memory marks.
func largestPackage(ctx context.Context, root string) (size float64, name string, err error) {
	text, err := output(ctx, root, nil, "go", "list", "-f", "{{.ImportPath}} {{.Dir}}{{range .GoFiles}} {{.}}{{end}}{{range .CgoFiles}} {{.}}{{end}}", "std")
	if err != nil {
		return 0, "", err
	}
	below, err := output(ctx, root, nil, "go", "list", "-deps", "os", "internal/runtime/exithook")
	if err != nil {
		return 0, "", err
	}
	unmarked := map[string]bool{}
	for _, path := range strings.Fields(string(below)) {
		unmarked[path] = true
	}
	for line := range bytes.Lines(text) {
		words := strings.Fields(string(line))
		if unmarked[words[0]] {
			continue
		}
		var n float64
		for _, file := range words[2:] {
			info, err := os.Stat(filepath.Join(words[1], file))
			if err != nil {
				return 0, "", err
			}
			n += float64(info.Size())
		}
		if n > size {
			size, name = n, words[0]
		}
	}
	return size, name, nil
}
