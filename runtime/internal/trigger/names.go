package trigger

import (
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// A Search finds out what is wrong with the name of a trigger that matches no marker. The caller
// passes it all markers and counters of the program.
type Search struct {
	trigger *Trigger
	suffix  string // suffix of the name of the marker that was probably meant
	meant   string // first marker with that suffix
	counter bool   // a counter has the name
}

// Search begins a search, once. ok is false if there is no need for one: a marker has the name, or
// the user did not give a name.
//
//go:norace
func (t *Trigger) Search() (s Search, ok bool) {
	ok = t.OnMarker() && len(t.numbers()) == 0 && !t.Implied && !t.warned
	t.warned = true
	if !ok {
		return s, false
	}
	s.trigger, s.suffix = t, bare(t.Name)
	if len(s.suffix) > 5 && s.suffix[:5] == "main." {
		s.suffix = s.suffix[5:]
	}
	for s.suffix != "" && lite.Has("./:", s.suffix[0]) {
		s.suffix = s.suffix[1:]
	}
	return s, true
}

// Marker passes a marker. It was probably meant if its name ends with the trigger's, after a dot,
// slash or colon, ignoring main., stars and the parentheses of receivers.
//
//go:norace
func (s *Search) Marker(name string) {
	if s.suffix == "" || s.meant != "" {
		return
	}
	all := bare(name)
	if n := len(all) - len(s.suffix); n > 0 && all[n:] == s.suffix && lite.Has("./:", all[n-1]) {
		s.meant = name
	}
}

// Counter passes a counter, whose executions no trigger sees.
//
//go:norace
func (s *Search) Counter(name string) {
	s.counter = s.counter || glob.Name(s.trigger.Name, name)
}

// Complaint returns the message for the user. A stopwatch of that name may still be started.
//
//go:norace
func (s *Search) Complaint() string {
	key := `MARKGEN: key "` + s.trigger.Key + `": `
	switch {
	case s.counter:
		return key + "scopes of " + s.trigger.Name + " are only counted, which no trigger notices; //perf:mark has them timed; it never happens"
	case s.meant != "":
		return key + "no marker has the name " + s.trigger.Name + ", and no stopwatch yet; give " + s.meant
	}
	return key + "no marker has the name " + s.trigger.Name + ", and no stopwatch yet; markgen list names markers"
}

// bare returns a name without the parentheses and star of a pointer receiver, (*T), and without
// other stars.
func bare(name string) string {
	var b []byte
	for i := range len(name) {
		if !lite.Has("(*)", name[i]) {
			b = append(b, name[i])
		}
	}
	return string(b)
}
