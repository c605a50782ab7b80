package trigger

import (
	"testing"

	"github.com/markgen/markgen/runtime/config"
)

// A name that no marker has is a counter's, or similar to the name of the marker that was probably
// meant.
func TestSearch(t *testing.T) {
	markers := []string{"worker", "main.run", "example.com/m/parse.File", "example.com/m/parse.(*Reader).Next", "example.com/m/parse.(*Reader).Next:for1", "net/http.(*conn).serve"}
	none := `MARKGEN: key "start": no marker has the name `
	for name, want := range map[string]string{
		"run":                    none + "run, and no stopwatch yet; give main.run",
		"main.parse.File":        none + "main.parse.File, and no stopwatch yet; give example.com/m/parse.File",
		"File":                   none + "File, and no stopwatch yet; give example.com/m/parse.File",
		"m/parse.File":           none + "m/parse.File, and no stopwatch yet; give example.com/m/parse.File",
		"Reader.Next":            none + "Reader.Next, and no stopwatch yet; give example.com/m/parse.(*Reader).Next",
		"*Reader.Next":           none + "*Reader.Next, and no stopwatch yet; give example.com/m/parse.(*Reader).Next",
		"./parse.(*Reader).Next": none + "./parse.(*Reader).Next, and no stopwatch yet; give example.com/m/parse.(*Reader).Next",
		"Next:for1":              none + "Next:for1, and no stopwatch yet; give example.com/m/parse.(*Reader).Next:for1",
		"for1":                   none + "for1, and no stopwatch yet; give example.com/m/parse.(*Reader).Next:for1",
		"ile":                    none + "ile, and no stopwatch yet; markgen list names markers",
		"main.worker":            none + "main.worker, and no stopwatch yet; markgen list names markers",
		"main.":                  none + "main., and no stopwatch yet; markgen list names markers",
		"(*)":                    none + "(*), and no stopwatch yet; markgen list names markers",
		"main.lines":             `MARKGEN: key "start": scopes of main.lines are only counted, which no trigger notices; //perf:mark has them timed; it never happens`,
		"main.l*":                `MARKGEN: key "start": scopes of main.l* are only counted, which no trigger notices; //perf:mark has them timed; it never happens`,
		"main.run*":              "",
		"net/http.(*conn).serve": "",
	} {
		all := New(&config.Config{Triggers: []config.Trigger{{Key: "start", Kind: config.TriggerOn, Name: name}}})
		for i, marker := range markers {
			all.Watch(marker, uint32(i+1))
		}
		got := ""
		if s, ok := all[0].Search(); ok {
			for _, marker := range markers {
				s.Marker(marker)
			}
			s.Counter("main.lines")
			got = s.Complaint()
		}
		if got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
		if _, again := all[0].Search(); again {
			t.Errorf("%s is complained of twice", name)
		}
	}
}

// There is no search for a trigger that follows from another, or has no marker.
func TestSearchNone(t *testing.T) {
	for _, trigger := range []config.Trigger{
		{Key: "resume", Kind: config.TriggerOn, Name: "M", Implied: true},
		{Key: "stop", Kind: config.TriggerRecords, N: 3},
		{Key: "stop", Kind: config.TriggerAfter, N: 3},
	} {
		if _, ok := (&Trigger{Trigger: trigger}).Search(); ok {
			t.Errorf("%+v is complained of", trigger)
		}
	}
}
