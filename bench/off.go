package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// standardPackages are the packages whose benchmarks are run. Most of strconv is in
// internal/strconv, which cannot be marked: the runtime of marked programs imports it.
var standardPackages = []string{"sort", "strconv", "encoding/json", "regexp", "compress/flate"}

// standardDir returns the directory of a standard package; its tests run there.
func standardDir(ctx context.Context, pkg string) (string, error) {
	root, err := goRoot(ctx)
	return filepath.Join(root, "src", filepath.FromSlash(pkg)), err
}

// off runs the benchmarks of standard packages, plain and with every point of the package marked
// but nothing collected.
func (b *bench) off(ctx context.Context) error {
	var all []timing
	for _, pkg := range standardPackages {
		dir, err := standardDir(ctx, pkg)
		if err != nil {
			return err
		}
		sides, err := b.plainAndMarked(ctx, dir, pkg)
		if err != nil {
			return err
		}
		some, err := b.timings(ctx, "off", pkg, ".", sides)
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		b.record(pkg, bar{}, geoMean(some, 1, 0), fmt.Sprintf("geometric mean of %d benchmarks", len(some)))
		all = append(all, some...)
	}
	b.record("all of these packages", atMost(1.15), geoMean(all, 1, 0), fmt.Sprintf("geometric mean of %d benchmarks", len(all)))
	printSlowest("the ten that markers slow down most while they are off", all, 1, 0)
	return nil
}

// plainAndMarked builds the plain side and the side with markers off.
func (b *bench) plainAndMarked(ctx context.Context, dir, pkg string) ([]testBinary, error) {
	plain, err := b.compile(ctx, dir, pkg, "plain", plainTest())
	if err != nil {
		return nil, err
	}
	marked, err := b.compile(ctx, dir, pkg, "marked", b.markedTest("-all", "-markpkg", pkg))
	return []testBinary{plain, marked}, err
}

// programLayouts is the number of layouts in which small programs are measured.
const programLayouts = 12

// offPrograms measures small programs in which markers are relatively expensive. Each side is built
// in several layouts, of which the quickest counts: a loop of a few instructions takes twice as
// long where it crosses a cache line. For fib it also reports the cost of the test alone.
func (b *bench) offPrograms(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	overlay, _, err := b.testedAtTop(ctx, filepath.Join(dir, "programs", "off"), ".")
	if err != nil {
		return err
	}
	var all []timing
	for layout := 1; layout <= programLayouts; layout++ {
		sides, err := b.layoutSides(ctx, dir, "./programs/off", overlay, layout)
		if err != nil {
			return err
		}
		some, err := b.timings(ctx, fmt.Sprintf("offprogs/layout-%d", layout), "off", ".", sides)
		if err != nil {
			return err
		}
		for i, t := range some {
			if layout == 1 {
				all = append(all, t)
				continue
			}
			for side := range t.ns {
				all[i].ns[side] = min(all[i].ns[side], t.ns[side])
			}
		}
	}
	about := map[string]string{
		"Fib":       "fib(25)",
		"Sum":       "a loop of 1000",
		"Leaves":    "an inlined function called 1000 times",
		"LeafCalls": "the same, called in a loop that is not marked",
	}
	for _, t := range all {
		b.record(about[t.name], atMost(1.15), t.ratio(2, 0),
			fmt.Sprintf("%s ns, plain %s, the quickest of %d layouts", short(t.ns[2]), short(t.ns[0]), programLayouts))
		if t.name == "Fib" { // the other functions are inlined
			b.record("the same with nothing but a test at the top", bar{}, t.ratio(1, 0), short(t.ns[1])+" ns")
		}
	}
	return nil
}
