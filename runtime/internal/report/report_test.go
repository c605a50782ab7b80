package report

import (
	"math"
	"testing"
)

func TestDuration(t *testing.T) {
	for ps, want := range map[uint64]string{
		0: "0ps", 999: "999ps", 1000: "1.00ns", 9_999: "9.99ns", 10_000: "10.0ns", 123_456: "123ns", 999_999: "999ns",
		1_234_000: "1.23µs", 45_600_000_000: "45.6ms", 7_890_000_000_000: "7.89s", 12_345_000_000_000_000: "12345s",
		math.MaxUint64: "18446744s",
	} {
		if got := duration(ps); got != want {
			t.Errorf("%d ps is written %s, want %s", ps, got, want)
		}
	}
	if got := quotient(math.MaxUint64, 1); got != "-" {
		t.Errorf("what no number of ps can say is written %s", got)
	}
	if got := quotient(0, 0); got != "0ps" {
		t.Errorf("the mean of nothing is written %s", got)
	}
}

// Columns are as wide as their longest text, in characters, and rows are sorted by name.
func TestFormat(t *testing.T) {
	run := Run{App: "app", PID: 7, NS: 1_500_000_000, Clock: "tsc", Quantum: 1000, Read: 12_300, Scope: 31_000, Notes: []string{"a note"}, Lost: 3}
	rows := []*Row{
		{Name: "if#2", Count: 100, Total: 3_000, Nested: 1_000, Timed: true},
		{Name: "if#10", Count: 5, Total: 1},
		{Name: "µ", Count: 0, Timed: true},
	}
	want := `markgen: app, pid 7, 1.50s, clock tsc, quantum 1.00ns, read 12.3ns, scope 31.0ns
markgen: a note
marker  count   total    mean
if#10       5       -       -
if#2      100  2.00µs  30.0ns
µ           0     0ps     0ps
not recorded, for lack of memory or on a thread's own stack: 3 scopes
`
	if got := string(Format(&run, rows)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	run.NoTable = true
	want = "markgen: app, pid 7, 1.50s, clock tsc, quantum 1.00ns, read 12.3ns, scope 31.0ns\nmarkgen: a note\n"
	if got := string(Format(&run, rows)); got != want {
		t.Errorf("without a table\n%s\nwant\n%s", got, want)
	}
}
