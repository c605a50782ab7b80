package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
)

// A Scenario makes the functions run: tests or a program.
type Scenario interface {
	// Run runs the scenario once, in new processes. keys are keys for MARKGEN. only, if it is not
	// nil, are the markers of the first run that must be planted, or at least turned on. The error
	// is non-nil if the scenario could not be run, or ctx is done; if it ran and failed, the Pass
	// says so.
	Run(ctx context.Context, keys string, only []*profile.Marker) (*Pass, error)
}

// A Pass is one run of the scenario.
type Pass struct {
	Profile  *profile.Profile // sum of all its processes; Runs is 0 if there are none
	Code     int              // exit code; 0 on success
	TimedOut bool             // it was killed because it took too long
	Took     time.Duration
	Output   []byte // output of the processes
}

// How describes how the pass ended.
func (p *Pass) How() string {
	if p.TimedOut {
		return "ended by the time limit"
	}
	return fmt.Sprintf("exit code %d", p.Code)
}

// failed reports whether the pass failed.
func (p *Pass) failed() bool { return p.Code != 0 || p.TimedOut }

// Options select what is measured, and how.
type Options struct {
	API     func(*profile.Marker) bool // selects the markers in the result
	Exact   bool                       // time each function in a pass of its own
	Runs    int                        // runs of the scenario for each group; 0 means 1
	Collect string                     // collectors of the first pass, as in MARKGEN's key; "" means time
	Paths   bool                       // record call paths in the first pass
	Store   *Store                     // stores completed passes; may be nil

	// Begin is called before each pass, and Failed after the first one that fails, with its output.
	// Either may be nil.
	Begin  func(Progress)
	Failed func(name string, p *Pass)
}

// Progress is the progress of a run.
type Progress struct {
	Name  string // name of the pass that begins
	Pass  int    // its number, from 1
	Total int    // number of passes; 0 if not yet known
	Left  time.Duration
}

// Run measures the functions. After an error the Store, if there is one, has the completed passes,
// and another Run continues from there.
func Run(ctx context.Context, s Scenario, o Options) (*Result, error) {
	r := &runner{scenario: s, o: o, store: o.Store, result: &Result{}}
	if r.o.Runs < 1 {
		r.o.Runs = 1
	}
	keys := "collect=" + cmp.Or(o.Collect, "time") + ",pairs,outermost"
	if o.Paths {
		keys += ",paths"
	}
	first, err := r.pass(ctx, "first pass", keys, nil)
	if err != nil {
		return nil, err
	}
	p := first.Profile
	switch {
	case p.Runs == 0:
		return nil, &NoDataError{first}
	case p.Pairs == nil || p.Pairs.Runs != uint64(p.Runs):
		return nil, errors.New("which functions share a stack was not recorded: a program was marked by another markgen, or goroutines can't be distinguished on this platform")
	}
	plan := r.plan
	if plan == nil {
		plan = NewPlan(p, o.API, o.Exact)
		r.plan = plan
		if r.store != nil {
			r.store.state.Plan = plan
			if err := r.store.add(first); err != nil {
				return nil, err
			}
		}
	}
	r.result.first(p, o.API, plan)
	if first.TimedOut {
		r.result.sum()
		return r.result, nil // and the others would fail, too
	}
	groups := r.result.groups()
	r.total = 1 + len(plan.Groups)*r.o.Runs
	for run := range r.o.Runs {
		for i, group := range groups {
			name := fmt.Sprintf("group %d of %d", i+1, len(plan.Groups))
			if r.o.Runs > 1 {
				name += fmt.Sprintf(", run %d of %d", run+1, r.o.Runs)
			}
			pass, err := r.pass(ctx, name, "collect=time,outermost=shut", group)
			if err != nil {
				return nil, err
			}
			r.result.add(pass.Profile, group)
		}
	}
	r.result.sum()
	return r.result, nil
}

// A NoDataError reports that nothing in the scenario was marked and collected.
type NoDataError struct{ Pass *Pass }

func (e *NoDataError) Error() string { return "no program with markers ran and collected" }

// A runner makes passes.
type runner struct {
	scenario Scenario
	o        Options
	store    *Store
	result   *Result
	plan     *Plan
	made     int // number of passes, including those from the store
	total    int
	ran      int           // number of passes run here
	took     time.Duration // time of those
	shown    bool          // a failure has been reported
}

// pass makes the next pass, or takes it from the store.
func (r *runner) pass(ctx context.Context, name, keys string, only []*profile.Marker) (*Pass, error) {
	n := r.made
	r.made++
	if r.store != nil && n < r.store.Done() {
		p, err := r.store.read(n)
		if err != nil {
			return nil, err
		}
		r.plan = r.store.state.Plan
		was := r.store.state.Passes[n]
		pass := &Pass{Profile: p, Code: was.Code, TimedOut: was.TimedOut, Took: was.Took}
		r.result.ended(name, pass)
		return pass, nil
	}
	if r.o.Begin != nil {
		progress := Progress{Name: name, Pass: n + 1, Total: r.total}
		if r.ran > 0 && r.total > 0 {
			progress.Left = r.took / time.Duration(r.ran) * time.Duration(r.total-n)
		}
		r.o.Begin(progress)
	}
	pass, err := r.scenario.Run(ctx, keys, only)
	if err != nil {
		return nil, err
	}
	r.ran++
	r.took += pass.Took
	if pass.failed() && !r.shown {
		r.shown = true
		if r.o.Failed != nil {
			r.o.Failed(name, pass)
		}
	}
	r.result.ended(name, pass)
	if r.store != nil && r.plan != nil {
		if err := r.store.add(pass); err != nil {
			return nil, err
		}
	}
	return pass, nil
}
