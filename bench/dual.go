package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// dual measures programs of markgen build -dual, with every point of some standard packages marked:
// the plain one against that of go build, in size, start and speed, and how much later main begins
// if it becomes the marked one first.
func (b *bench) dual(ctx context.Context) error {
	sides, err := b.dualSides(ctx, 0)
	if err != nil {
		return err
	}
	var sizes [3]float64
	for i := range sizes {
		info, err := os.Stat(sides[i].program)
		if err != nil {
			return err
		}
		sizes[i] = float64(info.Size()) / 1024
	}
	b.record("the plain program, added to that of go build", atMost(16).in("kB"), sizes[1]-sizes[0],
		fmt.Sprintf("%.0f kB, with the marked program %.0f", sizes[1], sizes[1]+sizes[2]))
	if err := b.dualStart(ctx, sides); err != nil {
		return err
	}
	sum := 0.0
	for _, layout := range layouts {
		sides, err := b.dualSides(ctx, layout)
		if err != nil {
			return err
		}
		ratio, err := b.dualSpeed(ctx, sides[:2])
		if err != nil {
			return err
		}
		b.record(fmt.Sprintf("off, layout %d", layout), bar{}, ratio, "")
		sum += math.Log(ratio)
	}
	b.record("off, against go build", atMost(1.01), math.Exp(sum/float64(len(layouts))), "geometric mean of sort, json, regexp and flate in these layouts")
	return nil
}

// A dualSide is a way to start programs/dual.
type dualSide struct {
	name, program string
	environ       []string
}

// dualSides builds programs/dual: that of go build, the plain program of a dual build, the marked
// one, and the plain one that becomes the marked one. layout is as in layouts; 0 is the linker's
// own.
func (b *bench) dualSides(ctx context.Context, layout int) ([]dualSide, error) {
	dir, err := moduleDir(ctx)
	if err != nil {
		return nil, err
	}
	plain, dual := filepath.Join(b.work, fmt.Sprintf("plain-%d", layout)), filepath.Join(b.work, fmt.Sprintf("dual-%d", layout))
	flag := "-ldflags=-randlayout=" + strconv.Itoa(layout)
	if _, err := runProcess(ctx, dir, nil, "go", "build", "-o", plain, flag, "./programs/dual"); err != nil {
		return nil, err
	}
	packages := "./programs/dual,sort,encoding/json,regexp,compress/flate"
	if _, err := runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-all", "-dual", "-markpkg", packages, "-o", dual, flag, "./programs/dual"); err != nil {
		return nil, err
	}
	marked := dual + ".marked"
	return []dualSide{
		{"plain", plain, nil}, {"dual", dual, nil}, {"marked", marked, []string{inMemory}}, {"becomes", dual, []string{inMemory}},
	}, nil
}

// dualSpeed returns by which factor the work of programs/dual takes longer on the second side than
// on the first.
func (b *bench) dualSpeed(ctx context.Context, sides []dualSide) (float64, error) {
	best := make([]map[string]float64, len(sides))
	for round := range b.roundsOr(20) {
		for i := range sides {
			side := (i + round) % len(sides)
			text, err := output(ctx, b.work, sides[side].environ, sides[side].program, "20")
			if err != nil {
				return 0, err
			}
			if best[side] == nil {
				best[side] = map[string]float64{}
			}
			for line := range strings.Lines(string(text)) {
				var name string
				var ns float64
				if n, _ := fmt.Sscan(line, &name, &ns); n < 2 { // the time when main began
					continue
				}
				if was, ok := best[side][name]; !ok || ns < was {
					best[side][name] = ns
				}
			}
		}
	}
	sum := 0.0
	for name, ns := range best[0] {
		sum += math.Log(best[1][name] / ns)
	}
	return math.Exp(sum / float64(len(best[0]))), nil
}

// dualStart measures how long each side takes until main begins.
func (b *bench) dualStart(ctx context.Context, sides []dualSide) error {
	times := map[string][]float64{} // ms
	for round := range b.roundsOr(101) {
		for i := range sides {
			s := sides[(i+round)%len(sides)]
			ns, err := untilMain(ctx, b.work, s.environ, s.program)
			if err != nil {
				return err
			}
			times[s.name] = append(times[s.name], ns/1e6)
		}
	}
	remark := "the quickest of processes:"
	for _, s := range sides {
		remark += fmt.Sprintf(" %s %.2f ms", s.name, fewest(times[s.name]))
	}
	b.record("start, added to that of go build", atMost(0.2).in("ms"), fewest(times["dual"])-fewest(times["plain"]), remark)
	b.record("start with MARKGEN, added to that of the marked program", atMost(2).in("ms"), fewest(times["becomes"])-fewest(times["marked"]), "")
	return nil
}
