package config

import "github.com/markgen/markgen/runtime/internal/lite"

// A Trigger changes the state of the run at an event: a scope of a marker, a number of records, or
// after some time.
type Trigger struct {
	Key  string // "start", "pause", "resume" or "stop"
	Kind uint8  // TriggerOn, …
	Name string // name of the marker, perhaps a glob
	N    uint64 // number of scopes, of records, or ns

	Implied bool // not given, but follows from start=
}

// The kinds of triggers.
const (
	TriggerOn      = iota // on:MARKER
	TriggerCount          // count:MARKER:N
	TriggerAfter          // after:DURATION
	TriggerRecords        // records:N
)

const wantedTrigger = "on:MARKER, count:MARKER:N, after:DURATION, such as after:5s, or, to pause and stop, records:N"

// Opens reports whether the trigger starts or resumes collection.
//
//go:noinline
func (t *Trigger) Opens() bool { return t.Key == "start" || t.Key == "resume" }

// OnMarker reports whether scopes of a marker set the trigger off.
func (t *Trigger) OnMarker() bool { return t.Kind == TriggerOn || t.Kind == TriggerCount }

// parseTrigger parses one form.
func parseTrigger(key, form string) (t Trigger, ok bool) {
	kind, rest := lite.Cut(form, ':')
	t.Key = key
	switch kind {
	case "on":
		t.Kind, t.Name = TriggerOn, rest
		return t, rest != ""
	case "count":
		for i := len(rest) - 1; i > 0; i-- {
			if rest[i] == ':' {
				t.Kind, t.Name = TriggerCount, rest[:i]
				t.N, ok = Uint(rest[i+1:])
				return t, ok && t.N > 0
			}
		}
	case "after":
		t.Kind = TriggerAfter
		t.N, ok = duration(rest)
		return t, ok
	case "records":
		t.Kind = TriggerRecords
		t.N, ok = Uint(rest)
		return t, ok && t.N > 0 && !t.Opens()
	}
	return t, false
}

// addTriggers parses the value of a key: forms with ; between them. If a key is given twice, the
// last one counts.
func (c *Config) addTriggers(key, value string) bool {
	n := 0
	for i := range c.Triggers {
		if t := &c.Triggers[i]; t.Key != key {
			c.Triggers[n] = *t
			n++
		}
	}
	c.Triggers = c.Triggers[:n]
	for rest := value; rest != ""; {
		var form string
		form, rest = lite.Cut(rest, ';')
		t, ok := parseTrigger(key, form)
		if !ok {
			return false
		}
		c.addTrigger(t)
	}
	return value != ""
}

//go:noinline
func (c *Config) addTrigger(t Trigger) { c.Triggers = append(c.Triggers, t) }

// settleTriggers computes what follows from all keys together. If a trigger pauses and none
// resumes, the triggers on markers that start also resume.
func (c *Config) settleTriggers() {
	pauses, resumes := false, false
	for i := range c.Triggers {
		switch c.Triggers[i].Key {
		case "start":
			c.Waits = true
		case "pause":
			pauses = true
		case "resume":
			resumes = true
		}
	}
	for i := 0; pauses && !resumes && i < len(c.Triggers); i++ {
		if t := c.Triggers[i]; t.Key == "start" && t.OnMarker() {
			t.Key, t.Implied = "resume", true
			c.addTrigger(t)
		}
	}
	c.Waits = c.Waits || c.Period > 0
}
