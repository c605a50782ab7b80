package steer

import (
	"errors"
	"fmt"
	"strings"
)

// ErrEnded is wrapped by errors if the process has ended.
var ErrEnded = errors.New("the process has ended")

// ErrOwner is wrapped by errors if the process or its data file belongs to another user.
var ErrOwner = errors.New("only its owner can read or steer it")

// A TransitionError says that a transition is not allowed in the state of the run.
type TransitionError struct {
	Verb    string   // requested transition, such as "pause"
	State   State    // state of the run
	To      State    // state after the requested transition
	Allowed []string // verbs allowed in State
	Every   bool     // every= pauses and resumes the run
}

func (e *TransitionError) Error() string {
	text := fmt.Sprintf("%s makes a run %s, and this one is %s", e.Verb, e.To, e.State)
	if e.To == e.State {
		text = fmt.Sprintf("%s makes a run %s, and this one is so already", e.Verb, e.To)
	}
	if len(e.Allowed) == 0 {
		return text + "; nothing can be changed any more"
	}
	text += "; allowed now: " + strings.Join(e.Allowed, ", ")
	if e.Every && e.State == Paused && e.To == Paused {
		text += "; if every= has paused it, it goes on by itself: ask again then"
	}
	return text
}

// A NoMatchError says that a name or glob matches no marker.
type NoMatchError struct {
	Glob    string
	Markers int      // number of markers
	Beyond  bool     // it matches markers whose words are not in the file
	Counter bool     // it matches counters, which can't be steered
	Exact   bool     // it is a name, not a glob
	Near    []string // names with this suffix, if it is a name
}

func (e *NoMatchError) Error() string {
	switch {
	case e.Beyond:
		return fmt.Sprintf("%s: the words of these markers are not in the data file, so they can't be turned on and off", e.Glob)
	case e.Counter:
		return fmt.Sprintf("%s: only counted, not timed, and counters can't be turned on and off while the program runs; say so in MARKGEN before it starts", e.Glob)
	case e.Exact && strings.ContainsAny(e.Glob, "*?["):
		return fmt.Sprintf("%s: no marker has that name; =on and =off follow a whole name; of globs write on=%s, off=%s", e.Glob, e.Glob, e.Glob)
	case len(e.Near) == 1:
		return fmt.Sprintf("%s: no marker has that name; =on and =off follow a whole name; did you mean %s?", e.Glob, e.Near[0])
	case len(e.Near) > 1:
		return fmt.Sprintf("%s: no marker has that name; =on and =off follow a whole name, such as %s; of globs write on=*%s, off=*%s", e.Glob, e.Near[0], e.Glob, e.Glob)
	case e.Markers == 0:
		return fmt.Sprintf("%s: the program has registered no markers", e.Glob)
	}
	return fmt.Sprintf("%s: matches none of the %d markers; see markgen report for their names; * matches any text", e.Glob, e.Markers)
}

// A SettingError says that a setting has none of the forms that Set accepts.
type SettingError struct{ Setting, Trouble string }

func (e *SettingError) Error() string { return fmt.Sprintf("set %s: %s", e.Setting, e.Trouble) }
