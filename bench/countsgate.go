package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// gateChanges are by how much more work the changed function of each trial does.
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
			switch {
			case program == old:
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
			fmt.Printf("countsgate: %s, %.0f %% more: by counts %s; by times %s\n", map[bool]string{true: "unchanged", false: name}[program == old], 100*more, strings.Join(counts, " "), strings.Join(times, " "))
		}
	}
	n := len(gateChanges)
	remark := fmt.Sprintf("%d pairs, %d runs a side, %d functions, 2 busy processes", n, gateRuns, gateFunctions)
	b.record("diff -counts: changes found on a busy machine", atLeast(1), float64(byCounts)/float64(n), fmt.Sprintf("%s; %d name another function, too", remark, elsewhere))
	b.record("diff -counts: unchanged, and it fails", atMost(0), float64(failedCounts)/float64(n), remark)
	b.record("diff by times alone: the same changes found", atLeast(0), float64(byTimes)/float64(n), remark)
	b.record("diff by times alone: unchanged, and it fails", atMost(0.2), float64(failedTimes)/float64(n), remark)
	return nil
}

// gateProgram writes and builds the program, in which the function changed, or none if it is
// negative, does more work, as a fraction.
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

// poll waits, for as many turns as there is time.
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
	programs := map[string]string{"old": old, "new": fresh}
	for side := range programs {
		if err := os.MkdirAll(filepath.Join(data, side), 0o777); err != nil {
			return nil, nil, err
		}
	}
	for run := range gateRuns {
		order := []string{"old", "new"}
		if (run+trial)%2 == 1 {
			slices.Reverse(order)
		}
		for _, side := range order {
			env := []string{"MARKGEN=file=" + filepath.Join(data, side, fmt.Sprintf("%d.markgen", run))}
			if _, err := output(ctx, dir, env, programs[side]); err != nil {
				return nil, nil, err
			}
		}
	}
	if counts, err = b.gateDiff(ctx, data, "-counts"); err != nil {
		return nil, nil, err
	}
	times, err = b.gateDiff(ctx, data, "-counts=false")
	return counts, times, err
}

// gateDiff returns the names of the markers that markgen diff says are worse by 1 % or more.
func (b *bench) gateDiff(ctx context.Context, data, flag string) (worse []string, err error) {
	cmd := exec.CommandContext(ctx, b.markgen, "diff", flag, "-threshold", "1%", "-json", filepath.Join(data, "old"), "--", filepath.Join(data, "new"))
	cmd.Env = cleanEnviron()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	exit := (*exec.ExitError)(nil)
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && stderr.Len() == 0) {
		return nil, fmt.Errorf("markgen diff: %w\n%s", err, stderr.Bytes())
	}
	var result struct {
		Verdict                 string
		Counts, Shared, Markers []struct{ Name, Verdict string }
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, fmt.Errorf("markgen diff: %w", err)
	}
	for _, m := range slices.Concat(result.Counts, result.Markers, result.Shared) {
		if m.Verdict == "worse" {
			worse = append(worse, m.Name)
		}
	}
	if (result.Verdict == "worse") != (exit != nil) || (len(worse) > 0) != (exit != nil) {
		return nil, fmt.Errorf("markgen diff says %s, %d worse, and its exit code is %v", result.Verdict, len(worse), err)
	}
	return worse, nil
}
