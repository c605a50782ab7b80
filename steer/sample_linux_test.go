package steer_test

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/steer"
)

// A program that has collected every call is sampled at two rates: it then records that fraction,
// and its data are estimates.
func TestSample(t *testing.T) {
	r := start(t, true, "collect=time", "run")
	p := r.open()
	sample(t, p, 10)
	sample(t, p, 100)
	// Windows show no calls of hot while the program is not scheduled.
	for before := count(t, p, "hot"); count(t, p, "hot") == before; {
		time.Sleep(time.Millisecond)
	}
	_, profile := r.finish()
	for _, m := range profile.Markers {
		if m.Name == "example.com/hot.hot" && (m.Samples == 0 || m.Samples >= m.Count) {
			t.Errorf("%d samples of %d scopes", m.Samples, m.Count)
		}
	}
}

// A program with countdown or paths keeps its rate, whatever its MARKGEN says.
func TestSampleFixed(t *testing.T) {
	const countdown = "the program counts scopes down (countdown in MARKGEN), at a rate that stays"
	for markgen, want := range map[string]string{
		"sample=1:10,countdown": countdown,
		"sample=1:10,paths":     countdown,
		"paths":                 "the program records paths, of which windows see only a part; start it with paths,sample=1:N",
		"sample=1:10,skip=" + strings.Repeat("x", 1100) + ",countdown": countdown,
	} {
		r := start(t, false, markgen, "run")
		if err := r.open().Set("sample=1:1000"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s…: %v", markgen, err)
		}
		if n, all := r.finish(); counted(t, all, "hot") != uint64(n) {
			t.Errorf("%.30s…: %d scopes of %d", markgen, counted(t, all, "hot"), n)
		}
	}
}

// If the rate changes while the program runs, calls recorded at each rate stand for the time at
// that rate: code that runs only while every call is recorded has an exact count, whatever the rate
// is before and at the end.
func TestSampleChanged(t *testing.T) {
	r := start(t, false, "sample=1:20", "alone")
	p := r.open()
	for range 2 {
		sample(t, p, 1)
		r.turn()
		for count(t, p, "late") == 0 {
			time.Sleep(time.Millisecond)
		}
		r.turn()
		sample(t, p, 200)
		sample(t, p, 20)
		// Windows show no calls of hot while the program is not scheduled.
		for before := count(t, p, "hot"); count(t, p, "hot") == before; {
			time.Sleep(time.Millisecond)
		}
	}
	n, all := r.finish()
	if late := counted(t, all, "late"); late != uint64(r.late) {
		t.Errorf("late: %d scopes of %d", late, r.late)
	}
	if tiny := counted(t, all, "tiny"); tiny != 64*uint64(r.late) {
		t.Errorf("tiny: %d scopes of %d", tiny, 64*r.late)
	}
	if hot := find(t, all, "hot"); n > 0 && hot.CountSE() == 0 {
		t.Errorf("hot: %d scopes of %d, and no error is stated", hot.Count, n)
	}
}

// sample changes the rate, and waits until the program uses it: until two windows have ended, the
// second of which has the new rate. At rate 1, the open window counts as one every 80 ms.
func sample(t *testing.T, p *steer.Process, rate uint64) {
	t.Helper()
	if err := p.Sample(rate); err != nil {
		t.Fatal(err)
	}
	before, err := p.Status()
	for ; ; time.Sleep(time.Millisecond) {
		s, err2 := p.Status()
		if err := cmp.Or(err, err2); err != nil || s.Sample != rate {
			t.Fatalf("%+v, %v", s, err)
		}
		if s.Windows > before.Windows+1 {
			return
		}
	}
}

func find(t *testing.T, p *profile.Profile, name string) *profile.Marker {
	t.Helper()
	for i := range p.Markers {
		if p.Markers[i].Name == "example.com/hot."+name {
			return &p.Markers[i]
		}
	}
	t.Fatalf("no marker %s", name)
	return nil
}
