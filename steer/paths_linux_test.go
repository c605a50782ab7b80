package steer_test

import (
	"testing"
	"time"

	"github.com/markgen/markgen/profile/profiletest"
)

// What is paused, or turned off and on, from outside leaves paths whose sums are those of the markers.
func TestPathsSteered(t *testing.T) {
	for _, markgen := range []string{"paths", "paths,sample=1:10"} {
		r := start(t, false, markgen, "alone")
		p := r.open()
		try := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", markgen, err)
			}
		}
		for range 2 {
			try(p.Pause())
			r.turn()
			try(p.Resume())
			try(p.Set("off=*hot"))
			r.turn()
			try(p.Set("on=*"))
			for before := count(t, p, "hot"); count(t, p, "hot") == before; {
				time.Sleep(time.Millisecond)
			}
		}
		_, all := r.finish()
		profiletest.CheckPaths(t, all)
	}
}
