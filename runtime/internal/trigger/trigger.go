package trigger

import (
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/layout"
)

// A Trigger changes the state of the run at an event: a scope of a marker, a number of records, or
// a time. A run may have several of each kind.
//
// A trigger that starts or resumes acts when a scope of its marker begins, which is the first to be
// collected. A trigger that pauses or stops acts when the last open scope of its marker ends, which
// is the last to be collected. So start=on:M,pause=on:M collects while M runs.
type Trigger struct {
	_ [0]func() // not comparable: == would add code
	config.Trigger

	// markers are the numbers of the markers with the name, replaced when there is one more; Watch,
	// Complaint.
	markers atomic.Pointer[[]uint32]
	warned  bool          // that no marker has the name; Complaint
	open    int64         // open scopes of its markers; Begin, End
	acted   uint64        // ID of the state in which it last acted; Due
	counted atomic.Uint64 // scopes or records since its state began; any goroutine
}

// A Set is the triggers of a run.
type Set []Trigger

// New returns the triggers of a run that begins.
//
//go:norace
func New(c *config.Config) Set {
	all := make(Set, len(c.Triggers))
	for i := range all {
		all[i].Trigger = c.Triggers[i]
	}
	return all
}

// Watch reports whether a trigger watches markers of that name, and stores the marker's number in
// it.
//
//go:norace
func (all Set) Watch(name string, number uint32) (watched bool) {
	for i := range all {
		if t := &all[i]; t.OnMarker() && glob.Name(t.Name, name) {
			numbers := append(t.numbers(), number)
			t.markers.Store(&numbers)
			watched = true
		}
	}
	return watched
}

// Complaint returns the warning that no marker has the name that the user gave, once; "" if there is
// nothing to warn of. A stopwatch of that name may still be started.
//
//go:norace
func (t *Trigger) Complaint() string {
	if !t.OnMarker() || len(t.numbers()) > 0 || t.Implied || t.warned {
		return ""
	}
	t.warned = true
	return `MARKGEN: key "` + t.Key + `": no timed marker has the name ` + t.Name +
		", and no stopwatch yet; give a name that markgen list shows, or a glob such as *.parse"
}

// Enter resets the counts of the triggers that apply to a state, which begins. Any goroutine may
// call it.
//
//go:norace
func (all Set) Enter(state uint64) {
	for i := range all {
		if t := &all[i]; t.Key != "stop" && t.Applies(state) {
			t.counted.Store(0)
		}
	}
}

// Pending reports whether a trigger on time may still act. A start happens once.
//
//go:norace
func (all Set) Pending(state uint64) bool {
	for i := range all {
		if t := &all[i]; t.Kind == config.TriggerAfter && (t.Key != "start" || t.Applies(state)) {
			return true
		}
	}
	return false
}

// Begin reports whether the trigger acts when a scope of a marker, or a point, begins in a state.
//
//go:norace
func (t *Trigger) Begin(state uint64, marker uint32) bool {
	if !t.has(marker) {
		return false
	}
	if !t.Opens() {
		t.open++
		return false
	}
	return t.Kind == config.TriggerOn || t.count(state)
}

// End reports whether the trigger acts when a scope of a marker, or a point, ends in a state.
// recorded says whether the scope was recorded. There may be ends without a beginning, of scopes
// that began before the run.
//
//go:norace
func (t *Trigger) End(state uint64, marker uint32, recorded bool) bool {
	if t.Opens() || !t.has(marker) {
		return false
	}
	t.open--
	if t.Kind == config.TriggerOn {
		return t.open <= 0
	}
	return recorded && t.count(state)
}

// Record reports whether the trigger acts when a scope of any marker has been recorded. Any
// goroutine may call it.
//
//go:norace
func (t *Trigger) Record(state uint64) bool {
	return t.Kind == config.TriggerRecords && t.count(state)
}

// Applies reports whether the trigger can change a state.
//
//go:noinline
func (t *Trigger) Applies(state uint64) bool {
	switch t.Key {
	case "start":
		return state == layout.StateConfigured
	case "resume":
		return state == layout.StatePaused
	case "pause":
		return state == layout.StateProfiling
	}
	return state == layout.StateProfiling || state == layout.StatePaused
}

// numbers returns the numbers of the markers with the name. Any goroutine may call it.
//
//go:norace
func (t *Trigger) numbers() []uint32 {
	if all := t.markers.Load(); all != nil {
		return *all
	}
	return nil
}

// has reports whether the trigger watches a marker. Any goroutine may call it.
//
//go:norace
func (t *Trigger) has(marker uint32) bool {
	for _, number := range t.numbers() {
		if number == marker {
			return true
		}
	}
	return false
}

// count counts a scope or record if the trigger applies to the state, and reports whether it is the
// Nth.
//
//go:norace
func (t *Trigger) count(state uint64) bool {
	return t.Applies(state) && t.counted.Add(1) == t.N
}
