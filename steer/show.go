package steer

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// Text returns the status for people, a line per subject.
func (s Status) Text() string {
	var b strings.Builder
	line := func(word, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", word, report.Printable(fmt.Sprintf(format, args...)))
	}
	running := "running"
	if !s.Running {
		running = "ended"
	}
	line("app", "%s, process %d, %s", s.App, s.PID, running)
	if s.InMemory() {
		line("file", "in memory, kept by markgen")
	} else {
		line("file", "%s", s.File)
	}
	started, state := s.Start.Format(time.DateTime)+" UTC", s.State.String()
	if s.Elapsed > 0 {
		started += ", ran for " + duration(s.Elapsed)
		if !s.Running && !s.Complete {
			started += " at least, and was not seen to end"
		}
	}
	if s.Running {
		if !s.Complete {
			started = strings.Replace(started, "ran for", "runs for", 1)
		}
		state += " for " + duration(s.Since)
	}
	if s.Profiled > 0 {
		state += ", profiling for " + duration(s.Profiled) + " in all"
	}
	line("started", "%s", started)
	line("state", "%s", state)
	triggers := "none"
	if len(s.Triggers) > 0 {
		triggers = strings.Join(s.Triggers, ", ")
	}
	line("triggers", "%s", triggers)
	sample := "every scope"
	switch {
	case s.Sample > 1:
		sample = fmt.Sprintf("1 scope in %s", units.Count(s.Sample))
	case s.Windows > 0: // between two windows
		sample = "nearly every scope"
	}
	if s.Windows > 0 {
		sample += fmt.Sprintf(", %s so far, %s in all", units.Plural(int(s.Windows), "window"), duration(s.Sampled))
	}
	line("sample", "%s", sample)
	markers := fmt.Sprintf("%s: %s on, %s off; %s visited", units.Plural(s.Markers, "marker"), number(s.On), number(s.Off), number(s.Visited))
	if s.Beyond > 0 {
		markers += fmt.Sprintf("; %s out of reach, for the file has no words of theirs", number(s.Beyond))
	}
	if s.Counters > 0 {
		markers += fmt.Sprintf("; %s besides, on whenever it is collected", units.Plural(s.Counters, "counter"))
	}
	line("markers", "%s", markers)
	line("clock", "%s %s", s.Clock, units.Frequency(float64(s.Hz)))
	line("MARKGEN", "%s", s.Config)
	return b.String()
}

func number(n int) string { return units.Count(uint64(n)) }

func duration(d time.Duration) string { return units.Duration(float64(d)) }

// MarshalJSON encodes the status for programs. Times are in nanoseconds.
func (s Status) MarshalJSON() ([]byte, error) {
	if s.Triggers == nil {
		s.Triggers = []string{}
	}
	return json.Marshal(struct {
		App        string   `json:"app"`
		PID        uint64   `json:"pid"`
		File       string   `json:"file"`
		Running    bool     `json:"running"`
		Complete   bool     `json:"complete"`
		Start      string   `json:"start"` // RFC 3339, UTC
		ElapsedNS  int64    `json:"elapsed_ns"`
		State      string   `json:"state"`
		SinceNS    int64    `json:"since_ns"`
		ProfiledNS int64    `json:"profiled_ns"`
		Triggers   []string `json:"triggers"`
		Sampled    string   `json:"sampled"` // "1:N"
		Windows    uint64   `json:"windows"`
		WindowsNS  int64    `json:"windows_ns"`
		Markers    int      `json:"markers"`
		On         int      `json:"on"`
		Off        int      `json:"off"`
		Visited    int      `json:"visited"`
		Beyond     int      `json:"beyond"`
		Counters   int      `json:"counters"`
		Clock      string   `json:"clock"`
		Hz         uint64   `json:"hz"`
		Config     string   `json:"config"`
	}{
		s.App, s.PID, s.File, s.Running, s.Complete, s.Start.Format(time.RFC3339Nano), int64(s.Elapsed),
		s.State.String(), int64(s.Since), int64(s.Profiled), s.Triggers,
		fmt.Sprintf("1:%d", s.Sample), s.Windows, int64(s.Sampled),
		s.Markers, s.On, s.Off, s.Visited, s.Beyond, s.Counters, s.Clock, s.Hz, s.Config,
	})
}
