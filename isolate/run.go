package isolate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
)

// A Scenario is what makes the functions run: tests, a program.
type Scenario interface {
	// Run runs it once from beginning to end, in new processes. keys is what MARKGEN is to
	// say; only, if it is not nil, are the markers that there are to be, or at least to be on,
	// of those that the first run had. The error says that it could not be run, or that ctx
	// ended; that it failed is said by the Pass.
	Run(ctx context.Context, keys string, only []*profile.Marker) (*Pass, error)
}

// A Pass is one run of the scenario.
type Pass struct {
	Profile  *profile.Profile // of all its processes; without any, Runs is 0
	Code     int              // exit code, 0 if all went well
	TimedOut bool             // it was ended, as it took too long
	Took     time.Duration
	Output   []byte // what it printed
}

// How says how it ended.
func (p *Pass) How() string {
	if p.TimedOut {
		return "ended by the time limit"
	}
	return fmt.Sprintf("exit code %d", p.Code)
}

// failed tells whether something was wrong with the pass.
func (p *Pass) failed() bool { return p.Code != 0 || p.TimedOut }

// Options say what is measured, and how.
type Options struct {
	API     func(*profile.Marker) bool // which markers the result is about
	Exact   bool                       // each function in a pass of its own
	Runs    int                        // of the scenario for each group; 0 is 1
	Collect string                     // what the first pass collects, as of MARKGEN's key; "": time
	Store   *Store                     // keeps what is done; nil: nothing

	// Begin is called before each pass, Failed after the first that fails, with what it
	// printed. Either may be nil.
	Begin  func(Progress)
	Failed func(name string, p *Pass)
}

// Progress is how far a run is.
type Progress struct {
	Name  string // of the pass that begins
	Pass  int    // its number, from 1
	Total int    // passes there will be, 0: not known yet
	Left  time.Duration
}

// Run measures the functions. After an error the Store, if there is one, has the passes
// that were made, and another Run goes on from there.
func Run(ctx context.Context, s Scenario, o Options) (*Result, error) {
	r := &runner{scenario: s, o: o, store: o.Store, result: &Result{}}
	if r.o.Runs < 1 {
		r.o.Runs = 1
	}
	first, err := r.pass(ctx, "first pass", "collect="+cmp.Or(o.Collect, "time")+",pairs,outermost", nil)
	if err != nil {
		return nil, err
	}
	p := first.Profile
	switch {
	case p.Runs == 0:
		return nil, &NoDataError{first}
	case p.Pairs == nil || p.Pairs.Runs != uint64(p.Runs):
		return nil, errors.New("which functions share a stack was not recorded: a program was marked by another markgen, or goroutines can't be told apart on this platform")
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
		return r.result, nil // and so would the others
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

// A NoDataError says that nothing of the scenario was marked and collected.
type NoDataError struct{ Pass *Pass }

func (e *NoDataError) Error() string { return "no program with markers ran and collected" }

// runner makes passes.
type runner struct {
	scenario Scenario
	o        Options
	store    *Store
	result   *Result
	plan     *Plan
	made     int // passes, those of the store among them
	total    int
	ran      int           // of them here
	took     time.Duration // those
	shown    bool          // a failure has been
}

// pass makes the next pass, or finds it made.
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
