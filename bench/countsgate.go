package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// gateChanges are how much more work the changed function does, as a fraction, by trial.
var gateChanges = []float64{0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.15, 0.20, 0.30, 0.50}

// gateFunctions is the number of functions of the program, and gateRuns that of runs on each side.
const (
	gateFunctions = 500
	gateRuns      = 10
)

// countsGate measures which of ten real changes of a program markgen diff finds, by counts and by
// times, and which of ten unchanged pairs fail, while two other processes keep the machine busy.
// Each change is in the source of one function of 500, which then does 2 % to 50 % more work.
func (b *bench) countsGate(ctx context.Context) error {
	dir := filepath.Join(b.work, "countsgate")
	old, err := b.gateProgram(ctx, filepath.Join(dir, "old"), -1, 0)
	if err != nil {
		return err
	}
	busy, stop := context.WithCancel(ctx)
	defer stop()
	for range 2 {
		cmd := exec.CommandContext(busy, old, "busy")
		cmd.Env = cleanEnviron()
		if err := cmd.Start(); err != nil {
			return err
		}
		defer func() { stop(); _ = cmd.Wait() }()
	}
	var byCounts, byTimes, failedCounts, failedTimes, elsewhere int
	for trial, more := range gateChanges {
		changed := 37 * (trial + 1) % gateFunctions
		fresh, err := b.gateProgram(ctx, filepath.Join(dir, "new"), changed, more)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("gate.f%03d", changed)
		for _, program := range []string{fresh, old} {
			counts, times, err := b.gateTrial(ctx, dir, old, program, trial)
			if err != nil {
				return err
			}
			in := func(worse string) bool { return strings.HasPrefix(worse, name) }
			what := name
			switch {
			case program == old:
				what = "unchanged"
				failedCounts += min(1, len(counts))
				failedTimes += min(1, len(times))
			default:
				if slices.ContainsFunc(counts, in) {
					byCounts++
				}
				if slices.ContainsFunc(times, in) {
					byTimes++
				}
				if slices.ContainsFunc(counts, func(worse string) bool { return !in(worse) }) {
					elsewhere++
				}
			}
			fmt.Printf("countsgate: %s, %.0f %% more: by counts %s; by times %s\n", what, 100*more, strings.Join(counts, " "), strings.Join(times, " "))
		}
	}
	n := len(gateChanges)
	remark := fmt.Sprintf("%d pairs, %d runs a side, %d functions, 2 busy processes", n, gateRuns, gateFunctions)
	b.record("by counts: changes found on a busy machine", atLeast(1), float64(byCounts)/float64(n), fmt.Sprintf("%s; %d name another function, too", remark, elsewhere))
	b.record("by counts: unchanged, and it passes", atLeast(1), 1-float64(failedCounts)/float64(n), remark)
	b.record("by times alone: the same changes found", bar{}, float64(byTimes)/float64(n), remark)
	b.record("by times alone: unchanged, and it fails", atMost(0.2), float64(failedTimes)/float64(n), remark)
	return nil
}

// gateProgram writes and builds the program. The function with the number changed does more work, by
// that fraction; none does if changed is negative.
func (b *bench) gateProgram(ctx context.Context, dir string, changed int, more float64) (program string, err error) {
	var text, calls strings.Builder
	text.WriteString(gateMain)
	for i := range gateFunctions {
		work := 200 + i
		if i == changed {
			work += int(math.Round(more * float64(work)))
		}
		fmt.Fprintf(&text, gateShapes[i%len(gateShapes)], i, work)
		fmt.Fprintf(&calls, "f%03d, ", i)
	}
	fmt.Fprintf(&text, "\nvar functions = []func(){%s}\n", calls.String())
	err = errors.Join(
		os.MkdirAll(dir, 0o777),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(text.String()), 0o666),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module gate\n\ngo 1.26\n"), 0o666),
	)
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "gate")
	_, err = runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-all", "-o", program, ".")
	return program, err
}

// gateShapes are the functions of the program, given their number and the units of work: a loop, a
// recursion, a branch in a loop, and a loop of calls.
var gateShapes = []string{
	"\nfunc f%03[1]d() {\n\tfor i := range %[2]d {\n\t\tsink += i ^ sink\n\t}\n}\n",
	"\nfunc f%03[1]d() { f%03[1]dDown(%[2]d) }\n\nfunc f%03[1]dDown(n int) {\n\tif n > 0 {\n\t\tsink++\n\t\tf%03[1]dDown(n - 1)\n\t}\n}\n",
	"\nfunc f%03[1]d() {\n\tfor i := range 2 * %[2]d {\n\t\tif i%%2 == 0 {\n\t\t\tsink += i\n\t\t}\n\t}\n}\n",
	"\nfunc f%03[1]d() {\n\tfor i := range %[2]d {\n\t\tsink += f%03[1]dStep(i)\n\t}\n}\n\nfunc f%03[1]dStep(i int) int { return i * sink }\n",
}

// gateMain calls all functions, and has two that do not do the same each time.
const gateMain = `package main

import (
	"math/rand/v2"
	"os"
	"time"
)

var sink int

func main() {
	if len(os.Args) > 1 {
		for {
			sink++
		}
	}
	for range 5 {
		for _, f := range functions {
			f()
		}
		poll()
		roll()
	}
}

// poll spins for 50 µs, so how often depends on the machine.
func poll() {
	for begin := time.Now(); time.Since(begin) < 50*time.Microsecond; {
		sink++
	}
}

func roll() {
	for range 100 + rand.IntN(100) {
		sink++
	}
}
`

// gateTrial makes the runs of a pair in turn and returns what diff finds worse by counts, and by
// times alone.
func (b *bench) gateTrial(ctx context.Context, dir, old, fresh string, trial int) (counts, times []string, err error) {
	data := filepath.Join(dir, "runs")
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	sides := [2]diffSide{{name: "old", program: old}, {name: "new", program: fresh}}
	if err := runSides(ctx, dir, data, gateRuns, trial, sides); err != nil {
		return nil, nil, err
	}
	if counts, err = b.worse(ctx, data, "-counts", "-threshold", "1%"); err != nil {
		return nil, nil, err
	}
	times, err = b.worse(ctx, data, "-counts=false", "-threshold", "1%")
	return counts, times, err
}
