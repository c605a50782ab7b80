//go:build markgen_off

package perf

import "github.com/markgen/markgen/runtime/layout"

// On is false: the program was built with the tag markgen_off, and every
// function of this package is empty.
const On = false

// A Marker is the program's variable for one marker.
type Marker struct{ Off, index uint32 }

// MarkerPad is the number of unused markers before and after those of a table.
const MarkerPad = layout.MarkerPad

// A Counter counts executions without timing them; P stays nil.
type Counter struct{ P *uint64 }

// A Scope is one execution of a marked piece of code.
type Scope struct{}

// An Entered is an open scope as a value.
type Entered struct{}

// Register turns every marker off and returns false.
func Register(markers *Marker, nm int, counters *Counter, nc int, text string) bool { return false }

// RegisterTable does nothing.
func RegisterTable(before, after *Marker, text string) bool { return false }

// Enter does nothing.
func (s *Scope) Enter(m *Marker) {}

// Exit does nothing.
func (s *Scope) Exit() {}

// Size does nothing.
func (s *Scope) Size(n int) {}

// Labels returns false.
func (s *Scope) Labels() bool { return false }

// Label does nothing and returns false.
func Label(value string) bool { return false }

// Close does nothing.
func Close(s []Scope) {}

// Enter does nothing.
func Enter(m *Marker) (e Entered) { return e }

// Exit does nothing.
func (e Entered) Exit() {}

// Point does nothing.
func Point(m *Marker) {}

// Count does nothing.
func Count(c *Counter) {}

// Pass does nothing.
func Pass(m *Marker) {}

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

// State returns StateUnconfigured.
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
