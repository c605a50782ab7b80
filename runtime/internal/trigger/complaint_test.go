package trigger

import (
	"testing"

	"github.com/markgen/markgen/runtime/config"
)

// The name of a trigger that no marker has is complained of, once; there is nothing to complain of in
// a trigger that follows from another, or has no marker.
func TestComplaint(t *testing.T) {
	for trigger, want := range map[config.Trigger]string{
		{Key: "start", Kind: config.TriggerOn, Name: "main.run"}:          "",
		{Key: "start", Kind: config.TriggerOn, Name: "main.r*"}:           "",
		{Key: "start", Kind: config.TriggerOn, Name: "run"}:               `MARKGEN: key "start": no timed marker has the name run, and no stopwatch yet; give a name that markgen list shows, or a glob such as *.parse`,
		{Key: "resume", Kind: config.TriggerOn, Name: "M", Implied: true}: "",
		{Key: "stop", Kind: config.TriggerRecords, N: 3}:                  "",
		{Key: "stop", Kind: config.TriggerAfter, N: 3}:                    "",
	} {
		all := New(&config.Config{Triggers: []config.Trigger{trigger}})
		all.Watch("main.run", 1)
		if got := all[0].Complaint(); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", trigger, got, want)
		}
		if got := all[0].Complaint(); got != "" {
			t.Errorf("%+v is complained of twice", trigger)
		}
	}
}
