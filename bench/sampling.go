package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sampling measures the cost of sampling in windows and of a paused run: the benchmarks of standard
// packages and fib(25), with every point marked, against plain.
func (b *bench) sampling(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	sides, err := b.sampledSides(ctx, dir, "./programs/off")
	if err != nil {
		return err
	}
	fib, err := b.typical(ctx, "sampling", "off.", sides, "^BenchmarkFib$")
	if err != nil {
		return err
	}
	for i, side := range sides {
		if i > 0 {
			b.record("fib(25), "+side.side, bar{}, fib[i]["Fib"]/fib[0]["Fib"], fmt.Sprintf("%s ns, plain %s", short(fib[i]["Fib"]), short(fib[0]["Fib"])))
		}
	}
	var all []timing
	for _, pkg := range standardPackages {
		if !b.programs.MatchString(pkg) {
			continue
		}
		dir, err := standardDir(ctx, pkg)
		if err != nil {
			return err
		}
		sides, err := b.sampledSides(ctx, dir, pkg)
		if err != nil {
			return err
		}
		times, err := b.typical(ctx, "sampling", pkg+".", sides, ".")
		if err != nil {
			return fmt.Errorf("%s: %w", pkg, err)
		}
		for name, plain := range times[0] {
			t := timing{pkg: pkg, name: name, ns: []float64{plain}}
			for _, side := range times[1:] {
				t.ns = append(t.ns, side[name])
			}
			if plain > 0 {
				all = append(all, t)
			}
		}
	}
	limits := map[string]bar{"1in1000": atMost(1.18)}
	for i, side := range sides {
		if i > 0 {
			b.record("standard packages, "+side.side, limits[side.side], geoMean(all, i, 0), fmt.Sprintf("geometric mean of %d benchmarks; against markers that are off %s",
				len(all), short(geoMean(all, i, 1))))
		}
	}
	return nil
}

// sampledSides returns the sides plain, off, paused, and sampled at two rates. A run whose trigger
// never fires costs the same as a paused one.
func (b *bench) sampledSides(ctx context.Context, dir, pkg string) ([]testBinary, error) {
	sides, err := b.plainAndMarked(ctx, dir, pkg)
	if err != nil {
		return nil, err
	}
	sides[1].side = "off"
	for _, more := range [][2]string{{"paused", "start=on:nobody"}, {"1in100", "sample=1:100"}, {"1in1000", "sample=1:1000"}} {
		sides = append(sides, sides[1].as(more[0], 1, b.inFile(more[0])+","+more[1]))
	}
	return sides, nil
}

// typical runs the matching benchmarks on all sides alternately, each for the time of several
// sampling windows, and returns for each side the median ns/op by benchmark.
func (b *bench) typical(ctx context.Context, folder, prefix string, sides []testBinary, pattern string) ([]map[string]float64, error) {
	chosen, err := sides[0].run(ctx, pattern, "1x", "-test.skip="+skipped)
	if err != nil {
		return nil, err
	}
	typical := make([]map[string]float64, len(sides))
	for i := range sides {
		typical[i] = map[string]float64{}
	}
	for _, c := range chosen {
		if c.ns > slowest {
			continue
		}
		all, err := b.inTurn(ctx, folder, prefix, sides, c.pattern(), "100ms", 3)
		if err != nil {
			return nil, err
		}
		for i := range all {
			typical[i][c.name] = median(all[i][c.name])
		}
	}
	return typical, nil
}

// sampledMeans measures how often the mean of a sample is within two of its standard errors of the
// mean of all calls, which the program itself measures. Calls during which another program had the
// processor are left out of both: on a shared machine a few of them are a tenth of the total time,
// and a sample has too many of them or none.
func (b *bench) sampledMeans(ctx context.Context) error {
	const runs = 200
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	program, data := filepath.Join(b.work, "sampled"), b.dataFile("sampled")
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", program, "./programs/sampled"); err != nil {
		return err
	}
	for _, how := range []struct{ name, keys string }{{"windows", "sample=1:20"}, {"countdown", "sample=1:20,countdown"}} {
		means, counts, samples := 0, 0, 0.0
		for seed := range runs {
			text, err := output(ctx, dir, []string{fmt.Sprintf("%s,%s,seed=%d", b.inFile("sampled"), how.keys, seed+1)}, program, fmt.Sprint(seed), "300")
			if err != nil {
				return err
			}
			var mean, count float64
			if _, err := fmt.Sscan(string(text), &mean, &count); err != nil {
				return err
			}
			got, err := b.reported(ctx, data, "sampled.work")
			if err != nil {
				return err
			}
			n, sum := 0.0, 0.0
			for _, bucket := range got.Buckets {
				if bucket.Hi <= 1<<17 { // the program leaves out longer calls, too
					n += bucket.Count
					sum += bucket.Sum
				}
			}
			if off := sum/n - mean; off*off <= 4*got.MeanSE*got.MeanSE {
				means++
			}
			if off := got.Count - count; off*off <= 4*got.CountSE*got.CountSE+0.5 {
				counts++
			}
			samples += got.Samples / runs
			if err := os.Remove(data); err != nil {
				return err
			}
		}
		note := fmt.Sprintf("%d runs with %.0f samples each, on average", runs, samples)
		b.record("means within 2 standard errors, "+how.name, atLeast(0.93), float64(means)/runs, note)
		b.record("counts within 2 standard errors, "+how.name, bar{}, float64(counts)/runs, note)
	}
	return nil
}

// estimates measures the error of the counts estimated from 1:100 windows, against counts kept by
// programs of several kinds. It takes the median of fifteen runs for each function, of 1 µs or more
// and of one so short that the report should flag its count as unreliable.
func (b *bench) estimates(ctx context.Context) error {
	const runs = 15
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	program, data := filepath.Join(b.work, "estimates"), b.dataFile("estimates")
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", program, "./programs/estimates"); err != nil {
		return err
	}
	for _, kind := range []string{"serial", "parallel", "naps", "workers", "phases", "tree", "bursts"} {
		ratios, errors := map[string][]float64{}, map[string][]float64{}
		for seed := range runs {
			text, err := output(ctx, dir, []string{fmt.Sprintf("%s,sample=1:100,seed=%d", b.inFile("estimates"), seed+1)}, program, kind, "3s")
			if err != nil {
				return err
			}
			for line := range strings.Lines(string(text)) {
				var name string
				var count float64
				if _, err := fmt.Sscan(line, &name, &count); err != nil {
					return err
				}
				got, err := b.reported(ctx, data, "estimates."+name)
				if err != nil {
					return err
				}
				ratios[name] = append(ratios[name], got.Count/count)
				errors[name] = append(errors[name], got.CountSE/count)
			}
			if err := os.Remove(data); err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(ratios)) {
			limit := bar{}
			if kind != "bursts" {
				limit = atMost(0.1)
			}
			count := median(ratios[name])
			b.record("counts of "+kind+", "+name+", off by", limit, math.Abs(count-1), fmt.Sprintf("%.2f ± %.2f", count, median(errors[name])))
		}
	}
	return nil
}
