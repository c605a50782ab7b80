package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/profile/shape"
)

// shapeOrders are the growth orders of functions in programs/shapes, and shapeOthers the checks of
// functions with other shapes.
var (
	shapeOrders = map[string]string{
		"sortInts":      "O(n log n)",
		"slicesSort":    "O(n log n)",
		"lookUp":        "O(1)",
		"appendOne":     "O(1)",
		"build":         "O(n)",
		"linear":        "O(n)",
		"sorted.binary": "O(log n)",
		"pairs":         "O(n²)",
	}
	shapeOthers = map[string]func(s *shape.Shape) bool{
		"constant": func(s *shape.Shape) bool { return s.Steady.Verdict == shape.Yes && s.Startup.Verdict == shape.No },
		"cache": func(s *shape.Shape) bool {
			slow := s.Modes.List[len(s.Modes.List)-1]
			return s.Modes.Verdict == shape.Yes && slow.Share > 0.1 && slow.Share < 0.4 && slow.TimeShare > 0.9
		},
		"lazy":   func(s *shape.Shape) bool { return s.Startup.Verdict == shape.Yes && s.Startup.Runs == shapeRuns },
		"tailed": func(s *shape.Shape) bool { return s.Tail.Verdict == shape.Yes && s.Tail.Index < 2 },
	}
)

// shapeRuns is the number of runs whose data are added up for one classification.
const shapeRuns = 3

// shapes measures how often functions of known shape are classified correctly, and how often
// wrongly.
func (b *bench) shapes(ctx context.Context) error {
	module, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	dir := filepath.Join(b.work, "shapes")
	if err := errors.Join(
		os.CopyFS(dir, os.DirFS(filepath.Join(module, "programs", "shapes"))),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module shapes\n\ngo 1.26\n"), 0o666),
	); err != nil {
		return err
	}
	program := filepath.Join(dir, "shapes")
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-sizes", "-o", program, "."); err != nil {
		return err
	}
	rounds := b.roundsOr(8)
	right, wrong := map[string]int{}, map[string]int{}
	for range rounds {
		p, err := shapeProfile(ctx, dir, program)
		if err != nil {
			return err
		}
		known := shape.For(p)
		for i := range p.Markers {
			name := strings.TrimPrefix(p.Markers[i].Name, "shapes.")
			s := shape.Of(&p.Markers[i], known)
			switch want, holds := shapeOrders[name], shapeOthers[name]; {
			case holds != nil && holds(&s), want != "" && s.Growth.Order == want:
				right[name]++
			case want != "" && s.Growth.Order != "":
				wrong[name]++
				fmt.Printf("shapes: %s is taken for %s\n", name, s.Growth.Evidence)
			}
		}
	}
	sum := func(of map[string]int) (n int) {
		for _, k := range of {
			n += k
		}
		return n
	}
	var seldom []string
	for _, name := range slices.Concat(slices.Sorted(maps.Keys(shapeOrders)), slices.Sorted(maps.Keys(shapeOthers))) {
		if right[name] < rounds {
			seldom = append(seldom, fmt.Sprintf("%s %d of %d", name, right[name], rounds))
		}
	}
	all := float64(rounds * (len(shapeOrders) + len(shapeOthers)))
	b.record("those of 12 functions are recognised", atLeast(0.8), float64(sum(right))/all, strings.Join(seldom, ", "))
	b.record("another one is decided for", atMost(0.05), float64(sum(wrong))/all, "")
	return nil
}

// shapeProfile returns the sum of shapeRuns runs of the program. The number of arguments is the
// seed.
func shapeProfile(ctx context.Context, dir, program string) (*profile.Profile, error) {
	var sum runfile.Sum
	for run := range shapeRuns {
		data := filepath.Join(dir, "data")
		words := append([]string{program}, slices.Repeat([]string{"x"}, run)...)
		if _, err := runProcess(ctx, dir, []string{"MARKGEN=file=" + data}, words...); err != nil {
			return nil, err
		}
		if err := errors.Join(sum.AddFile(data), os.Remove(data)); err != nil {
			return nil, err
		}
	}
	return sum.Profile(), nil
}
