package steer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/tier"
)

// pause pauses p as soon as it is profiling: its first window may not have begun, or it may be
// between windows.
func pause(t *testing.T, p *steer.Process) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); p.Pause() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is never profiling")
		}
	}
}

// A run that was paused from outside stays paused when the next period of every= begins.
func TestPausedPeriods(t *testing.T) {
	tier.Test(t)
	r := start(t, false, "every=20ms:10ms", "run")
	p := r.open()
	for i := range 3 {
		pause(t, p)
		if err := p.Pause(); err == nil || !strings.HasSuffix(err.Error(), "; if every= has paused it, it goes on by itself: ask again then") {
			t.Errorf("paused again: %v", err)
		}
		if collects(t, p) {
			t.Errorf("round %d: hot is collected while the run is paused", i)
		}
		before := count(t, p, "hot")
		if err := p.Resume(); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(10 * time.Second); count(t, p, "hot") <= before+openAtMost; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("round %d: hot is not collected after the run was resumed", i)
			}
		}
	}
	r.finish()
}

// A run that was resumed from outside between windows of every= collects from the next window on.
func TestResumedBetweenPeriods(t *testing.T) {
	r := start(t, false, "every=1h:1s", "run")
	p := r.open()
	pause(t, p)
	time.Sleep(1200 * time.Millisecond)
	if err := p.Resume(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); p.Pause() == nil; time.Sleep(20 * time.Millisecond) { // a run in state profiling can be paused
		if time.Now().After(end) {
			t.Fatal("it goes on for the rest of the period")
		}
		if err := p.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	if collects(t, p) {
		t.Error("hot is collected between two windows")
	}
	r.finish()
}
