//go:build markgen_virtual && markgen_off

package perf

// Closed are the bits of a gate of which none is set if the code behind it is to run marked.
const Closed = 1<<32 - 1

// Nothing is the result of functions that are called in an assignment.
type Nothing = [0]byte

// Open does nothing.
func Open(m *Marker) (n Nothing) { return n }

// Shut does nothing.
func Shut(m *Marker) (n Nothing) { return n }

// Begin does nothing.
func Begin(m *Marker) (n Nothing) { return n }

// End does nothing.
func End(m *Marker) (n Nothing) { return n }

// Due returns false.
func Due(m *Marker) bool { return false }

// IsDue returns false.
func IsDue(m *Marker) bool { return false }

// Again returns false.
func Again() bool { return false }

// Tick does nothing.
func Tick(c *Counter) (n Nothing) { return n }

// TickCall does nothing.
func TickCall(c *Counter) (n Nothing) { return n }

// Tallies are one package's counters by goroutine.
type Tallies struct{}

// An Own is the head of a goroutine's counters.
type Own struct{}

// NoOwn is the Own of no goroutine.
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

// RegisterPadded is Register.
func RegisterPadded(markers *Marker, nm int, counters *Counter, nc int, text string) bool {
	return false
}

// Last returns ok.
func Last(ok bool) bool { return ok }

// Leave does nothing.
func (s *Scope) Leave() {}

// Into does nothing.
func Into(m *Marker) (e Entered) { return e }

// OpenTally does nothing.
func OpenTally(m *Marker, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// Timed returns false: no scope is to be begun.
func Timed(m *Marker, t *Tallies, last **Own, i uintptr) bool { return false }

// Ends returns false: no scope is to be ended.
func Ends(m *Marker) bool { return false }

// IntoTally does nothing.
func IntoTally(m *Marker, t *Tallies, last **Own, i uintptr) (e Entered) { return e }

// TickTally does nothing.
func TickTally(c *Counter, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }

// TickTallyCall does nothing.
func TickTallyCall(c *Counter, t *Tallies, last **Own, i uintptr) (n Nothing) { return n }
