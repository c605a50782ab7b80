package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// The merged data come from a program with mergeMarkers marked functions. All its goroutines call
// all functions, each goroutine with its own argument so that times vary. The program is run
// mergeRuns times, and its data files are copied until there are mergeFiles.
const (
	mergeFiles   = 10_000
	mergeMarkers = 1000
	mergeRuns    = 20
)

// merge measures the speed of markgen merge, which has one processor, with profile files and data files
// of runs that had one processor or two; and its memory for many files relative to few.
func (b *bench) merge(ctx context.Context) error {
	dir := filepath.Join(b.work, "merge")
	if err := b.mergeProgram(ctx, dir); err != nil {
		return err
	}
	oneProcessor, err := mergeInput(ctx, dir, 1)
	if err != nil {
		return err
	}
	twoProcessors, err := mergeInput(ctx, dir, 2)
	if err != nil {
		return err
	}
	profiles := make([]string, len(twoProcessors)) // merging one run writes it as a profile
	for i, run := range twoProcessors {
		profiles[i] = filepath.Join(dir, fmt.Sprintf("profile%d", i))
		if _, err := runProcess(ctx, dir, nil, b.markgen, "merge", "-o", profiles[i], run); err != nil {
			return err
		}
	}
	for _, kind := range []struct {
		name  string
		files []string
	}{{"profiles", profiles}, {"runs on one processor", oneProcessor}, {"runs on two", twoProcessors}} {
		if err := b.mergeOf(ctx, dir, kind.name, kind.files); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// mergeOf measures merging copies of files.
func (b *bench) mergeOf(ctx context.Context, dir, name string, files []string) (err error) {
	folder := filepath.Join(dir, name)
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	var seconds []float64
	var few, many, size float64
	made := 0
	for _, n := range []int{mergeFiles / 100, mergeFiles} {
		for ; made < n; made++ {
			written, err := copyFile(filepath.Join(folder, fmt.Sprintf("%05d.markgen", made)), files[made%len(files)])
			if err != nil {
				return err
			}
			size += float64(written)
		}
		if n < mergeFiles {
			p, err := b.mergeOnce(ctx, dir, folder)
			if err != nil {
				return err
			}
			few = p.peak
			continue
		}
		for range b.roundsOr(3) {
			p, err := b.mergeOnce(ctx, dir, folder)
			if err != nil {
				return err
			}
			many = max(many, p.peak)
			seconds = append(seconds, p.wall)
			rows := benchfmt.Value{Value: mergeFiles * mergeMarkers / p.wall, Unit: "rows/s"}
			kind := strings.ReplaceAll(name, " ", "_")
			if err := b.results.add("merge/"+kind+".txt", "Merge/"+kind, 1, append(p.values(), rows)...); err != nil {
				return err
			}
		}
	}
	b.record("million marker rows a second, "+name, atLeast(2).in("M/s"), mergeFiles*mergeMarkers/1e6/median(seconds),
		fmt.Sprintf("%d files of %.0f kB, wall seconds: %s", mergeFiles, size/1e3/mergeFiles, list(seconds, "%.2f")))
	b.record("peak memory, "+name, bar{unit: "MiB"}, many/(1<<20), fmt.Sprintf("a hundredth of the files: %.1f", few/(1<<20)))
	return nil
}

func (b *bench) mergeOnce(ctx context.Context, dir, folder string) (process, error) {
	return runProcess(ctx, dir, []string{"GOMAXPROCS=1"}, b.markgen, "merge", "-o", filepath.Join(dir, "sum"), folder)
}

// mergeProgram builds the program.
func (b *bench) mergeProgram(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var functions, table strings.Builder
	for f := range mergeMarkers {
		fmt.Fprintf(&functions, "\n//perf:mark\n//go:noinline\nfunc f%d(n int) (sum int) {\n\tfor i := range n * %d {\n\t\tsum += i * i\n\t}\n\treturn sum\n}\n", f, f%50+1)
		fmt.Fprintf(&table, "f%d, ", f)
	}
	for name, text := range map[string]string{
		"go.mod":  "module merge\n\ngo 1.26\n",
		"main.go": fmt.Sprintf(mergeMain, table.String(), functions.String()),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	_, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", "program", ".")
	return err
}

// mergeInput runs the program with GOMAXPROCS=procs, and returns its data files.
func mergeInput(ctx context.Context, dir string, procs int) ([]string, error) {
	var files []string
	for i := range mergeRuns {
		files = append(files, filepath.Join(dir, fmt.Sprintf("run%d.%d", procs, i)))
		environ := []string{"MARKGEN=file=" + files[i], fmt.Sprintf("GOMAXPROCS=%d", procs)}
		if _, err := runProcess(ctx, dir, environ, filepath.Join(dir, "program")); err != nil {
			return nil, err
		}
	}
	return files, nil
}

const mergeMain = `package main

import "sync"

var table = []func(int) int{%s}

func main() {
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 20 {
				for _, f := range table {
					f(n + g)
				}
			}
		})
	}
	all.Wait()
}
%s`

// copyFile copies a file and returns its size.
func copyFile(to, from string) (n int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(out, in)
	return n, errors.Join(err, out.Close())
}
