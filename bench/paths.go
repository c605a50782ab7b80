package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile/runfile"
)

// The program with many call paths has pathLevels levels of pathFunctions functions, each of which
// calls all of the next level: 41+41²+41³ paths, of which the first 65,536 get a node.
const (
	pathFunctions = 41
	pathLevels    = 3
	pathLimit     = 65_536
)

// paths measures the memory of 65,536 call paths on two processors, and what recording paths adds to
// the start of a program, against the same run without paths.
func (b *bench) paths(ctx context.Context) error {
	if runtime.GOOS != "linux" {
		fmt.Println("paths: measured on Linux only")
		return nil
	}
	dir := filepath.Join(b.work, "paths")
	if err := writePaths(dir); err != nil {
		return err
	}
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", "program", "."); err != nil {
		return err
	}
	program, data := filepath.Join(dir, "program"), b.dataFile("paths")
	sides := [3]string{b.inFile("paths"), b.inFile("paths") + ",paths", b.inFile("paths") + ",paths,buckets"}
	var sizes, starts [len(sides)][]float64 // MiB and ms by side
	for range b.roundsOr(5) {
		for side := range sides {
			text, err := output(ctx, b.work, []string{sides[side], "GOMAXPROCS=2"}, program, "call")
			if err != nil {
				return err
			}
			resident := memorySize(string(text), "VmRSS")
			sizes[side] = append(sizes[side], resident/(1<<20))
			if err := b.results.add(fmt.Sprintf("paths/memory-%d.txt", side), "Paths", 1, benchfmt.Value{Value: resident, Unit: "rss-B"}); err != nil {
				return err
			}
		}
	}
	p, err := runfile.Read(data)
	if err != nil {
		return err
	}
	if n := len(p.Paths.Nodes); n < pathLimit || p.Paths.Other() == 0 {
		return fmt.Errorf("%d paths were recorded, and there are more than %d", n, pathLimit)
	}
	for range b.roundsOr(400) {
		for side := range sides[:2] {
			if err := os.Remove(data); err != nil && !os.IsNotExist(err) { // replacing it would add to the time
				return err
			}
			ns, err := untilMain(ctx, b.work, []string{sides[side], "GOMAXPROCS=2"}, program, "start")
			if err != nil {
				return err
			}
			starts[side] = append(starts[side], ns/1e6)
			if err := b.addSeconds(fmt.Sprintf("paths/start-%d.txt", side), "Start", ns); err != nil {
				return err
			}
		}
	}
	without, with := median(sizes[0]), median(sizes[1])
	b.record("memory of 65,536 on two processors", atMost(64).in("MiB"), with-without, fmt.Sprintf("resident %.1f, without paths %.1f", with, without))
	buckets := median(sizes[2])
	b.record("the same with buckets", atMost(64).in("MiB"), buckets-without, fmt.Sprintf("resident %.1f", buckets))
	without, with = median(starts[0]), median(starts[1])
	b.record("start against without", atMost(1.1), with/without, fmt.Sprintf("until main %.2f ms, without %.2f", with, without))
	return nil
}

// writePaths writes the program's source.
func writePaths(dir string) error {
	var functions strings.Builder
	tables := "\tlevel0 []func()\n" // nothing is called at the last level
	for level := pathLevels; level > 0; level-- {
		var table strings.Builder
		for f := range pathFunctions {
			fmt.Fprintf(&functions, "\n//perf:mark\n//go:noinline\nfunc f%d_%d() {\n\tfor _, f := range level%d {\n\t\tf()\n\t}\n}\n", level, f, level-1)
			fmt.Fprintf(&table, "f%d_%d, ", level, f)
		}
		tables += fmt.Sprintf("\tlevel%d []func()\n", level)
		fmt.Fprintf(&functions, "\nfunc init() { level%d = []func(){%s} }\n", level, table.String())
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module paths\n\ngo 1.26\n"), 0o666); err != nil {
		return err
	}
	text := fmt.Sprintf(callingMain, "", tables, fmt.Sprintf(callPaths, pathLevels)) + functions.String()
	return os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o666)
}

// callPaths runs all paths; %d is the level that is called first.
const callPaths = `			for range 3 {
				for _, f := range level%d {
					f()
				}
			}`
