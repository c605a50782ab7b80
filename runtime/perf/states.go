package perf

import "github.com/markgen/markgen/runtime/layout"

// A RunState is the state of a run, one of State….
type RunState uint64

// The states, as they are in the data file.
const (
	StateUnconfigured RunState = layout.StateUnconfigured // MARKGEN is not set and Configure was not called: inert
	StateConfigured   RunState = layout.StateConfigured   // the settings are known; nothing is collected yet
	StateProfiling    RunState = layout.StateProfiling
	StatePaused       RunState = layout.StatePaused
	StateStopped      RunState = layout.StateStopped // the data are complete
)

// stateNames is also the package variable that a compiler which is told of markers requires in each
// package, as it does with -cover.
var stateNames = [...]string{
	StateUnconfigured: "unconfigured",
	StateConfigured:   "configured",
	StateProfiling:    "profiling",
	StatePaused:       "paused",
	StateStopped:      "stopped",
}

// String returns the name of the state.
func (s RunState) String() string {
	if s < RunState(len(stateNames)) {
		return stateNames[s]
	}
	return "unknown"
}

// A StateError says that a call is not allowed in the current state of the run. The call has
// changed nothing.
type StateError struct {
	Call     string // "Start", …
	From, To RunState
}

// Error names both states, and says what is allowed.
func (e *StateError) Error() string {
	return e.Call + ": the run is " + e.From.String() + " and cannot become " + e.To.String() + "; " + e.remedy()
}

func (e *StateError) remedy() string {
	switch e.From {
	case layout.StateUnconfigured:
		return "set MARKGEN, or call Configure"
	case layout.StateConfigured:
		return "Start begins to collect"
	case layout.StateProfiling:
		return "it can be paused or stopped"
	case layout.StatePaused:
		return "it can be resumed or stopped"
	}
	return "it can be configured anew"
}

// A WatchError says why a stopwatch cannot be started or stopped.
type WatchError struct {
	Call string // "StartWatch" or "StopWatch"
	Name string
	Why  string
	Do   string
}

// Error names the stopwatch, what is wrong and what to do.
func (e *WatchError) Error() string {
	return e.Call + " " + quoted(e.Name) + ": " + e.Why + "; " + e.Do
}

// maxStopwatchName is the maximum length of a stopwatch's name in bytes: each report has it in a
// line.
const maxStopwatchName = 256

// quoted returns s in quotation marks, shortened if it is much longer than a valid name.
func quoted(s string) string {
	if len(s) > 2*maxStopwatchName {
		s = s[:maxStopwatchName] + "…"
	}
	return `"` + s + `"`
}

// A ConfigError says what is wrong with a spec.
type ConfigError struct{ What string }

// Error names the key and what to give.
func (e *ConfigError) Error() string { return e.What }
