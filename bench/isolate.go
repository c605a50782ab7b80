package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// An isolatedResult is the output of markgen isolate -json.
type isolatedResult struct {
	Passes    int
	Groups    int
	Needed    int `json:"groups_needed"`
	Functions []struct {
		Name string
		Min  float64 `json:"min_ns"`
	}
}

// quickest returns the minimum call time of the named function, in ns.
func (r *isolatedResult) quickest(name string) float64 {
	for _, f := range r.Functions {
		if f.Name == name {
			return f.Min
		}
	}
	return 0
}

// isolated runs markgen isolate and returns its result and running time in s.
func (b *bench) isolated(ctx context.Context, dir string, args ...string) (*isolatedResult, float64, error) {
	words := append([]string{b.markgen, "isolate", "-json"}, args...)
	begin := time.Now()
	text, err := output(ctx, dir, []string{b.markgenCache()}, words...)
	if err != nil {
		return nil, 0, err
	}
	took := time.Since(begin).Seconds()
	r := new(isolatedResult)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, 0, fmt.Errorf("markgen isolate: %w", err)
	}
	return r, took, nil
}

// isolate measures how accurately markgen isolate times a function that calls a marked function a
// million times, or itself, compared with a hand-written benchmark of the unmarked function; into
// how few groups it divides the functions of standard packages; and its running time relative to a
// run of their tests. The time of a function is that of its quickest call, since other load on the
// machine can only make a call slower.
func (b *bench) isolate(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	plain, err := b.compile(ctx, dir, "./programs/isolate", "isolate-plain", plainTest())
	if err != nil {
		return err
	}
	functionsOnly := filepath.Join(b.work, "isolate.yaml")
	if err := os.WriteFile(functionsOnly, []byte("include:\n  kinds: [func]\n"), 0o666); err != nil {
		return err
	}
	const pkg = "github.com/markgen/markgen/bench/programs/isolate."
	functions := []string{"Parent", "Fib"}
	byHand, isolated, one, single := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for range b.roundsOr(7) {
		runs, err := plain.run(ctx, ".", "1x", "-test.count=40")
		if err != nil {
			return err
		}
		for _, r := range runs {
			for _, f := range functions {
				if r.name == f {
					byHand[f] = append(byHand[f], r.ns)
				}
			}
		}
		for _, side := range []struct {
			times map[string][]float64
			flags []string
		}{{isolated, nil}, {one, []string{"-onebuild"}}} {
			r, _, err := b.isolated(ctx, dir, append(side.flags, "-run=^$", "-bench=.", "-benchtime=40x", "./programs/isolate")...)
			if err != nil {
				return err
			}
			for _, f := range functions {
				side.times[f] = append(side.times[f], r.quickest(pkg+f))
			}
		}
		data := b.dataFile("isolate-single")
		if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "test", "-all", "-config="+functionsOnly, "-report=none", "-o", data, "-run=^$", "-bench=.", "-benchtime=40x", "./programs/isolate"); err != nil {
			return err
		}
		for _, f := range functions[:1] { // not Fib: its recursive calls are included
			m, err := b.reported(ctx, data, "."+f)
			if err != nil {
				return err
			}
			single[f] = append(single[f], m.Min)
		}
		if err := os.Remove(data); err != nil {
			return err
		}
	}
	for _, f := range functions {
		limit := atMost(0.03)
		if f == "Fib" {
			limit = bar{} // each recursive call tests the marker, which is closed
		}
		hand := slices.Min(byHand[f])
		for _, side := range []struct {
			name  string
			times []float64
			limit bar
		}{{"isolated", isolated[f], limit}, {"with one build", one[f], bar{}}, {"a profile of all at once", single[f], bar{}}} {
			if len(side.times) == 0 {
				continue
			}
			ratio := slices.Min(side.times) / hand
			b.record(fmt.Sprintf("%s, %s, is off by", f, side.name), side.limit, max(ratio-1, 1-ratio),
				fmt.Sprintf("%s ms, by hand %s: %.4g of it", short(slices.Min(side.times)/1e6), short(hand/1e6), ratio))
		}
	}
	for _, pkg := range []string{"encoding/json", "go/printer", "text/template"} {
		if err := b.isolatePackage(ctx, pkg); err != nil {
			return err
		}
	}
	return nil
}

// isolatePackage measures the number of groups for the tests of a standard package, and the running
// time of isolate relative to a plain run, with warm caches.
func (b *bench) isolatePackage(ctx context.Context, pkg string) error {
	dir, err := os.MkdirTemp(b.work, "isolate-")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module bench\n\ngo 1.26\n"), 0o666); err != nil {
		return err
	}
	var plain, isolated []float64
	var r *isolatedResult
	for i := range 1 + b.roundsOr(5) {
		p, err := runProcess(ctx, dir, nil, "go", "test", "-count=1", pkg)
		if err != nil {
			return err
		}
		took := 0.0
		if r, took, err = b.isolated(ctx, dir, "-run=.", pkg); err != nil {
			return err
		}
		if i > 0 { // the first round fills the caches
			plain, isolated = append(plain, p.wall), append(isolated, took)
		}
	}
	b.record(pkg+", groups", atMost(1.3), float64(r.Groups)/float64(max(r.Needed, 1)), fmt.Sprintf("%d groups, %d needed at least", r.Groups, r.Needed))
	limit := bar{}
	if pkg == "encoding/json" {
		limit = atMost(10)
	}
	b.record(pkg+", time", limit, median(isolated)/median(plain), fmt.Sprintf("%s s in %d passes, go test %s s", short(median(isolated)), r.Passes, short(median(plain))))
	return nil
}
