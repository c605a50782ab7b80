//go:build !markgen_off

package perf

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// Who has to share a processor with others waits for it, and does not rest.
func TestWaitedTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip(err) // a kernel without CONFIG_SCHED_INFO
	}
	for range runtime.NumCPU() + 1 {
		other := exec.Command("sh", "-c", "while :; do :; done")
		if err := other.Start(); err != nil {
			t.Fatal(err)
		}
		defer other.Wait()
		defer other.Process.Kill()
	}
	before := waitedTime()
	for begun := time.Now(); waitedTime() < before+1_000_000; {
		if time.Since(begun) > 10*time.Second {
			t.Fatal("it has waited for nothing in ten seconds beside others")
		}
	}
	if n := testing.AllocsPerRun(10, func() { waitedTime() }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestNumberAt(t *testing.T) {
	for text, want := range map[string]uint64{"": 0, "12 345 6\n": 345, "12": 0, "1 18446744073709551615 2": 1<<64 - 1, "x 7y8": 78, "1  5": 0, "1 2\x003": 2} {
		if got := numberAt(1, []byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
