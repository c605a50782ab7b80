//go:build markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// On is false: the program was built with the tag markgen_off, and every
// function of this package is empty.
const On = false

// Closed are the bits of a gate of which none is set if the code behind it is to run marked.
const Closed = 1<<32 - 1

// A Marker is the program's side of one marker.
type Marker struct{ Off, index uint32 }

// MarkerPad is how many unused markers stand before and behind those of a table.
const MarkerPad = layout.MarkerPad

// A Counter counts passages without timing them; P stays nil.
type Counter struct{ P *uint64 }

// A Scope is one passage through a marker.
type Scope struct{}

// An Entered is an open scope as a value.
type Entered struct{}

// Nothing is what the functions return that are called in an assignment.
type Nothing = [0]byte

// Open does nothing.
func Open(m *Marker) (n Nothing) { return n }

// Shut does nothing.
func Shut(m *Marker) (n Nothing) { return n }

// Begin does nothing.
func Begin(m *Marker) (n Nothing) { return n }

// End does nothing.
func End(m *Marker) (n Nothing) { return n }

// Due is false.
func Due(m *Marker) bool { return false }

// IsDue is false.
func IsDue(m *Marker) bool { return false }

// Again is false.
func Again() bool { return false }

// Set puts v into p.
func Set[T any](p *T, v T) (n Nothing) {
	*p = v
	return n
}

// Tick does nothing.
func Tick(c *Counter) (n Nothing) { return n }

// TickCall does nothing.
func TickCall(c *Counter) (n Nothing) { return n }

// Tallies are one package's counters by goroutine.
type Tallies struct{}

// An Own stands before the counters of a goroutine.
type Own struct{}

// NoOwn is of none.
var NoOwn Own

// Tally does nothing.
func Tally(t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// TallyCall does nothing.
func TallyCall(t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// TallyOn does nothing.
func TallyOn(t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// RegisterTallies is Register.
func RegisterTallies(t *Tallies, last []*Own, markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return false
}

// Mark does nothing.
func Mark(m *Marker) (n Nothing) { return n }

// Recovered returns v.
func Recovered(v any) any { return v }

// Register turns every marker off and returns false.
func Register(markers *Marker, nm int, counters *Counter, nc int, text string) bool { return false }

// RegisterTable does nothing.
func RegisterTable(before, after *Marker, text string) bool { return false }

// RegisterPadded is Register.
func RegisterPadded(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return false
}

// Last returns ok.
func Last(ok bool) bool { return ok }

// Enter does nothing.
func (s *Scope) Enter(m *Marker) {}

// Exit does nothing.
func (s *Scope) Exit() {}

// Leave does nothing.
func (s *Scope) Leave() {}

// Size does nothing.
func (s *Scope) Size(n int) {}

// Close does nothing.
func Close(s []Scope) {}

// Enter does nothing.
func Enter(m *Marker) (e Entered) { return e }

// Into does nothing.
func Into(m *Marker) (e Entered) { return e }

// Exit does nothing.
func (e Entered) Exit() {}

// Point does nothing.
func Point(m *Marker) {}

// Count does nothing.
func Count(c *Counter) {}

// Pass does nothing.
func Pass(m *Marker) (n Nothing) { return n }

// Configure does nothing.
func Configure(spec string) error { return nil }

// Start does nothing.
func Start() error { return nil }

// Pause does nothing.
func Pause() error { return nil }

// Resume does nothing.
func Resume() error { return nil }

// Stop does nothing.
func Stop() error { return nil }

// State is StateUnconfigured.
func State() RunState { return layout.StateUnconfigured }

// StartWatch does nothing.
func StartWatch(name string) error { return nil }

// StopWatch does nothing.
func StopWatch(name string) error { return nil }

// A Collector reads numbers that only grow.
type Collector interface {
	Values() []string
	Read(into []uint64)
}

// RegisterCollector does nothing.
func RegisterCollector(name string, c Collector) {}

// Finish does nothing.
func Finish() {}

// OpenTally does nothing.
func OpenTally(m *Marker, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// Timed says that no scope is to be begun.
func Timed(m *Marker, t *Tallies, last **Own, i uintptr) bool { return false }

// Ends says that no scope is to be ended.
func Ends(m *Marker) bool { return false }

// IntoTally does nothing.
func IntoTally(m *Marker, t *Tallies, last **Own, i uintptr) (e Entered) { return e }

// TickTally does nothing.
func TickTally(c *Counter, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// TickTallyCall does nothing.
func TickTallyCall(c *Counter, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }
