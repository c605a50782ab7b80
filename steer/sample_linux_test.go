package steer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
)

// A program that has collected every passage is sampled, and sampled less: it then
// records that part, and what it has is an estimate.
func TestSample(t *testing.T) {
	r := start(t, true, "collect=time", "run")
	p := r.open()
	windows := uint64(0)
	for _, n := range []uint64{10, 100} {
		if err := p.Sample(n); err != nil {
			t.Fatal(err)
		}
		for s, err := p.Status(); ; s, err = p.Status() { // some windows of that rate
			if err != nil || s.Sample != n {
				t.Fatalf("%+v, %v", s, err)
			}
			if s.Windows > windows+1 {
				windows = s.Windows
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	_, profile := r.finish()
	for _, m := range profile.Markers {
		if m.Name == "example.com/hot.hot" && (m.Samples == 0 || m.Samples >= m.Count) {
			t.Errorf("%d samples of %d passages", m.Samples, m.Count)
		}
	}
}

// A program that counts passages down keeps its rate, however much its MARKGEN says.
func TestSampleCountdown(t *testing.T) {
	for _, markgen := range []string{"sample=1:10,countdown", "sample=1:10,skip=" + strings.Repeat("x", 1100) + ",countdown"} {
		r := start(t, false, markgen, "run")
		const want = "the program counts passages down (countdown in MARKGEN), at a rate that stays"
		if err := r.open().Set("sample=1:1000"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30s…: %v", markgen, err)
		}
		if n, all := r.finish(); counted(t, all, "hot") != uint64(n) {
			t.Errorf("%.30s…: %d passages of %d", markgen, counted(t, all, "hot"), n)
		}
	}
}

// Where the rate changes while the program runs, what was sampled at each rate is a sample of the time in which it was
// that one.
func TestSampleChanged(t *testing.T) {
	near := func(m *profile.Marker, want int64) bool {
		return m.Count > uint64(want)*2/5 && m.Count < uint64(want)*5/2
	}
	for attempt := range 4 { // what else the machine does may come between
		r := start(t, false, "sample=1:20", "alone")
		p := r.open()
		turn := func(rate uint64) {
			time.Sleep(300 * time.Millisecond)
			if _, err := r.in.Write([]byte{0}); err != nil {
				t.Fatal(err)
			}
			if err := p.Sample(rate); err != nil {
				t.Fatal(err)
			}
		}
		turn(1) // late
		turn(200)
		turn(20) // late
		turn(20)
		time.Sleep(300 * time.Millisecond)
		n, all := r.finish()
		ok := true
		for name, want := range map[string]int64{"hot": n, "late": r.late, "tiny": 64 * r.late} {
			m := find(t, all, name)
			ok = ok && near(m, want)
			t.Logf("%s: %d ± %.0f passages of %d", name, m.Count, m.CountSE(), want)
		}
		if ok {
			return
		}
		if attempt == 3 {
			t.Error("counts of other passages than there were")
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
