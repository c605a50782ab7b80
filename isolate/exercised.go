package isolate

import (
	"fmt"

	"github.com/markgen/markgen/isolate/exercise"
	"github.com/markgen/markgen/profile"
)

// Unreached returns the names of the functions that no pass reached.
func (r *Result) Unreached() (names []string) {
	for _, f := range r.Functions {
		if !f.Reached() {
			names = append(names, f.Name)
		}
	}
	return names
}

// Exercise adds measurements of functions that the scenario never reached. x is the result of
// another scenario, with made-up arguments, and outcomes are its outcomes; refused are the
// functions that could not be called.
func (r *Result) Exercise(x *Result, outcomes []exercise.Outcome, refused []exercise.Refusal) {
	r.Refused = refused
	if x == nil {
		return
	}
	r.Exercised = x
	by := map[string]*Function{}
	for _, f := range x.Functions {
		f.Exercised = true
		by[f.Name] = f
	}
	for _, o := range outcomes {
		if f := by[o.Name]; f != nil && o.Panics > 0 {
			f.panics = fmt.Sprintf("%d of %d calls panic", o.Panics, o.Calls)
		}
	}
	ids := map[string]*Function{}
	for i, f := range r.Functions {
		if of := by[f.Name]; of != nil && of.Reached() {
			of.ID = f.ID // with fewer markers, a registry may assign another ID
			r.Functions[i], ids[f.Name] = of, of
		}
	}
	r.Failures = append(r.Failures, x.Failures...)
	r.Profile = profile.Merge([]*profile.Profile{r.Profile, x.Profile})
	for i := range r.Profile.Markers {
		if f := ids[r.Profile.Markers[i].Name]; f != nil {
			f.Marker = &r.Profile.Markers[i]
		}
	}
}
