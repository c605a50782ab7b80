package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// diffRuns is the number of runs on each side of a trial, and diffMarked the number of marked
// functions in the program.
const (
	diffRuns   = 10
	diffMarked = 500
)

// diffPower measures how often markgen diff finds that one function of 500 does 5 % more work, and
// how often it reports a change when there is none. It uses real runs of a program, alternating old
// and new. Each trial slows down a different typical function.
func (b *bench) diffPower(ctx context.Context) error {
	dir, program, err := b.diffProgram(ctx)
	if err != nil {
		return err
	}
	typical, err := typicalFunctions(ctx, dir, program)
	if err != nil {
		return err
	}
	trials := b.roundsOr(100)
	found, named, failed := 0, 0, 0
	var missed []string
	for trial := range trials {
		slow := typical[trial%len(typical)]
		for _, changed := range []bool{true, false} {
			environ := []string(nil)
			if changed {
				environ = []string{fmt.Sprintf("DIFFPOWER_SLOW=%d", slow)}
			}
			worse, err := b.diffTrial(ctx, dir, program, trial, environ)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("diffpower.f%03d", slow)
			switch {
			case !changed && len(worse) > 0:
				failed++
				fmt.Printf("diffpower: trial %d, nothing changed: %s\n", trial, strings.Join(worse, ", "))
			case changed && slices.Contains(worse, name):
				found++
				if len(worse) > 1 {
					named++
				}
			case changed:
				missed = append(missed, strconv.Itoa(slow))
			}
		}
		fmt.Printf("diffpower: %d of %d slowdowns found, %d of %d unchanged programs fail\n", found, trial+1, failed, trial+1)
	}
	remark := fmt.Sprintf("%d of %d trials, %d runs a side, %d markers; with another marker, too, %d", found, trials, diffRuns, diffMarked, named)
	if len(missed) > 0 {
		remark += "; missed: " + strings.Join(missed, " ")
	}
	b.record("5 % more work of one function is found", atLeast(0.9), float64(found)/float64(trials), remark)
	b.record("nothing changed, and it fails", atMost(0.05), float64(failed)/float64(trials), fmt.Sprintf("%d of %d trials", failed, trials))
	return nil
}

// diffProgram builds the program, with its generated functions, in a separate directory.
func (b *bench) diffProgram(ctx context.Context) (dir, program string, err error) {
	module, err := moduleDir(ctx)
	if err != nil {
		return "", "", err
	}
	dir = filepath.Join(b.work, "diffpower")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(module, "programs", "diffpower"))); err != nil {
		return "", "", err
	}
	var functions, table strings.Builder
	for i := range diffMarked {
		fmt.Fprintf(&functions, "//perf:mark\nfunc f%03d() { work(%d) }\n\n", i, i)
		fmt.Fprintf(&table, "f%03d, ", i)
	}
	text := fmt.Sprintf("package main\n\n%sfunc init() { marked = []func(){%s} }\n", functions.String(), table.String())
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "marked.go"), []byte(text), 0o666),
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module diffpower\n\ngo 1.26\n"), 0o666),
	)
	if err != nil {
		return "", "", err
	}
	program = filepath.Join(dir, "diffpower")
	_, err = runProcess(ctx, dir, []string{b.markgenCache()}, b.markgen, "build", "-o", program, ".")
	return dir, program, err
}

// typicalFunctions returns the numbers of the functions that trials slow down. It returns an error
// if slowing one down would not make it do exactly 5 % more units of work.
func typicalFunctions(ctx context.Context, dir, program string) (typical []int, err error) {
	plan := func(environ ...string) (units map[int]int, typical []int, err error) {
		text, err := output(ctx, dir, environ, program, "plan")
		if err != nil {
			return nil, nil, err
		}
		units = map[int]int{}
		for line := range strings.Lines(string(text)) {
			var number, n, calls int
			var kernel string
			var is bool
			if _, err := fmt.Sscan(line, &number, &kernel, &n, &calls, &is); err != nil {
				return nil, nil, fmt.Errorf("diffpower plan: %q: %w", line, err)
			}
			units[number] = n
			if is {
				typical = append(typical, number)
			}
		}
		return units, typical, nil
	}
	units, typical, err := plan()
	if err != nil {
		return nil, err
	}
	for _, slow := range typical {
		slower, _, err := plan(fmt.Sprintf("DIFFPOWER_SLOW=%d", slow))
		if err != nil {
			return nil, err
		}
		for number, n := range slower {
			if want := units[number]; number != slow && n != want || number == slow && 20*n != 21*want {
				return nil, fmt.Errorf("function %d does %d units instead of %d when %d is slowed down", number, n, want, slow)
			}
		}
	}
	if len(typical) == 0 || len(units) != diffMarked {
		return nil, fmt.Errorf("the program has %d functions, %d of them typical", len(units), len(typical))
	}
	return typical, nil
}

// diffTrial makes the runs of a trial, the new ones with environ added. It returns the names of the
// markers that markgen diff reports as worse.
func (b *bench) diffTrial(ctx context.Context, dir, program string, trial int, environ []string) (worse []string, err error) {
	data := filepath.Join(b.work, "diffpower-runs")
	defer func() { err = errors.Join(err, os.RemoveAll(data)) }()
	sides := [2]diffSide{{name: "old", program: program}, {name: "new", program: program, environ: environ}}
	if err := runSides(ctx, dir, data, diffRuns, trial, sides); err != nil {
		return nil, err
	}
	return b.worse(ctx, data)
}
