package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A side is one way to build a program, with caches of its own.
type side struct {
	file    string // name of the results file
	environ []string
	words   func(output string, more ...string) []string
}

// sides returns go build -cover and markgen build -all: the toolchain's own instrumentation of the
// same packages, and ours.
func (b *bench) sides(caches string) []side {
	environ := func(name string) []string {
		return []string{"GOCACHE=" + filepath.Join(caches, name, "go"), "MARKGENCACHE=" + filepath.Join(caches, name, "markgen")}
	}
	return []side{
		{"cover.txt", environ("cover"), func(output string, more ...string) []string {
			return append(append([]string{"go", "build", "-cover", "-o", output}, more...), b.main)
		}},
		{"marked.txt", environ("marked"), func(output string, more ...string) []string {
			return append(append([]string{b.markgen, "build", "-all", "-o", output}, more...), b.main)
		}},
	}
}

// program returns the output path of a side. Each side has its own, since go build does not relink
// a program that is up to date.
func (b *bench) program(s side) string {
	return filepath.Join(b.work, "program-"+strings.TrimSuffix(s.file, ".txt"))
}

// build builds one side once and writes the result.
func (b *bench) build(ctx context.Context, dir, name string, s side, more ...string) (process, error) {
	p, err := runProcess(ctx, dir, s.environ, s.words(b.program(s), more...)...)
	if err != nil {
		return p, err
	}
	return p, b.results.add("build/"+s.file, "Build/"+name, 1, p.values()...)
}

// A comparison collects the rounds of one table row.
type comparison struct{ wall, cpu [2][]float64 }

func (c *comparison) add(side int, p process) {
	c.wall[side] = append(c.wall[side], p.wall)
	c.cpu[side] = append(c.cpu[side], p.cpu)
}

// figure reports the ratio of markgen to go build -cover, by the quickest round of each.
func (c *comparison) figure(b *bench, name string, limit float64) {
	b.record(name, atMost(limit), fewest(c.wall[1])/fewest(c.wall[0]),
		fmt.Sprintf("wall %s s, cover %s s; processor time %.1f s, cover %.1f s, ratio %.3g",
			list(c.wall[1], "%.1f"), list(c.wall[0], "%.1f"), median(c.cpu[1]), median(c.cpu[0]), median(c.cpu[1])/median(c.cpu[0])))
}

// coldBuild builds the program with empty caches: its dependencies and the standard library are
// compiled as well, on both sides.
func (b *bench) coldBuild(ctx context.Context) error {
	dir, err := b.copyModule(ctx)
	if err != nil {
		return err
	}
	var c comparison
	for round := range b.roundsOr(1) {
		caches := filepath.Join(b.work, fmt.Sprintf("cold-%d", round))
		sides := b.sides(caches)
		for i := range sides {
			s := (i + round) % 2
			p, err := b.build(ctx, dir, "cold", sides[s])
			if err != nil {
				return err
			}
			c.add(s, p)
		}
		if err := removeAll(caches); err != nil {
			return err
		}
	}
	c.figure(b, "nothing cached", 1)
	return nil
}

// warmBuild builds the program with its dependencies in the cache, after each of five changes:
// none; a comment at the end of a file, which recompiles one package; the body of an unused
// function in that file, which the first round adds; an exported constant, which recompiles the
// importers too; and a compiler flag without effect for the module's packages, which recompiles all
// of these.
func (b *bench) warmBuild(ctx context.Context) (err error) {
	dir, err := b.copyModule(ctx)
	if err != nil {
		return err
	}
	sides := b.sides(b.caches)
	for _, s := range sides {
		if _, err := runProcess(ctx, dir, s.environ, s.words(b.program(s))...); err != nil {
			return err
		}
	}
	middle, module, err := b.middleFile(ctx, dir)
	if err != nil {
		return err
	}
	original, err := os.ReadFile(middle)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.WriteFile(middle, original, 0o666)) }()
	fmt.Println("the file that is changed:", strings.TrimPrefix(middle, dir+string(filepath.Separator)))
	for _, change := range []struct {
		name, figure string
		limit        float64
		appended     string
		flag         string
	}{
		{"none", "nothing changed", 0, "", ""},
		{"comment", "one file changed, one package compiled", 1, "\n// Changed %d.\n", ""},
		{"code", "one file changed, the body of a function that no other package sees", 1, "\nfunc markgenBench() int { return %d }\n", ""},
		{"constant", "one file changed, its importers compiled", 1, "\nconst MarkgenBench = %d\n", ""},
		{"module", "all packages of the module compiled", 1, "", "-gcflags=" + module + "/...=-D=/markgen-bench-%d"},
	} {
		var c comparison
		for round := range b.roundsOr(7) {
			if change.appended != "" {
				text := append(original[:len(original):len(original)], fmt.Sprintf(change.appended, round)...)
				if err := os.WriteFile(middle, text, 0o666); err != nil {
					return err
				}
			}
			var more []string
			if change.flag != "" {
				more = append(more, fmt.Sprintf(change.flag, round))
			}
			for i := range sides {
				s := (i + round) % 2
				p, err := b.build(ctx, dir, change.name, sides[s], more...)
				if err != nil {
					return err
				}
				c.add(s, p)
			}
		}
		c.figure(b, change.figure, change.limit)
	}
	return nil
}

// copyModule makes a writable copy of the module, once, and downloads its dependencies into the
// module cache.
func (b *bench) copyModule(ctx context.Context) (string, error) {
	dir := filepath.Join(b.work, "module")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	text, err := output(ctx, b.work, nil, "go", "mod", "download", "-json", b.module)
	if err != nil {
		return "", err
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(text, &module); err != nil {
		return "", err
	}
	if err := copyTree(dir, module.Dir); err != nil {
		return "", err
	}
	// This also downloads the dependencies, so that downloads are not measured.
	_, err = output(ctx, dir, nil, "go", "list", "-deps", b.main)
	return dir, err
}

// copyTree copies files and directories, and makes the copies writable.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
}

// middleFile returns a file in the middle of the module's import graph, and the module's path. The
// file is the first of the package whose number of direct and indirect importers in the module is
// closest to half of the module's packages.
func (b *bench) middleFile(ctx context.Context, dir string) (file, module string, err error) {
	text, err := output(ctx, dir, nil, "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Deps,Module", b.main)
	if err != nil {
		return "", "", err
	}
	type listed struct {
		ImportPath, Dir string
		GoFiles, Deps   []string
		Module          *struct {
			Path string
			Main bool
		}
	}
	var own []listed
	importers := map[string]int{}
	for dec := json.NewDecoder(bytes.NewReader(text)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", "", err
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		module = p.Module.Path
		own = append(own, p)
		for _, d := range p.Deps {
			importers[d]++
		}
	}
	best := -1
	for i, p := range own {
		if len(p.GoFiles) > 0 && (best < 0 || far(importers[p.ImportPath], len(own)) < far(importers[own[best].ImportPath], len(own))) {
			best = i
		}
	}
	if best < 0 {
		return "", "", fmt.Errorf("%s: no package of the module; name one with -package", b.main)
	}
	return filepath.Join(own[best].Dir, own[best].GoFiles[0]), module, nil
}

// far returns twice the distance of n from all/2.
func far(n, all int) int {
	return max(2*n-all, all-2*n)
}
