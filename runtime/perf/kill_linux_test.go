//go:build !markgen_off

package perf

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/markgen/markgen/runtime/layout"
)

// kills is the number of processes that TestKilledAnywhere kills; make soak kills more.
func kills(t *testing.T) int {
	if text := os.Getenv("MARKGEN_SOAK"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("MARKGEN_SOAK: %v", err)
		}
		return n
	}
	return 300
}

// Processes that log to a pipe which scopes they begin and end are killed at any moment, also
// during their start. The data file has every scope that was logged as ended, and none that was not
// begun.
func TestKilledAnywhere(t *testing.T) {
	native(t)
	const goroutines, atOnce = 3, 4
	left := atomic.Int64{}
	left.Store(int64(kills(t)))
	var died, passed, early atomic.Int64
	virtualForm.build(t)
	for worker := range atOnce {
		t.Run(strconv.Itoa(worker), func(t *testing.T) {
			t.Parallel()
			// Maximum lifetime of a process: long enough that about a third of them are killed
			// before their first scope, however long that takes on this machine.
			within := 25 * time.Millisecond
			for left.Add(-1) >= 0 && !t.Failed() {
				n, begun := killOnce(t, goroutines, time.Duration(rand.Int64N(int64(within))))
				died.Add(1)
				passed.Add(n)
				if begun {
					within -= within / 8
				} else {
					early.Add(1)
					within += within / 4
				}
			}
		})
	}
	t.Cleanup(func() {
		t.Logf("%d processes were killed, %d of them before their first scope, after %d scopes", died.Load(), early.Load(), passed.Load())
		if passed.Load() == 0 {
			t.Error("no scope was logged")
		}
	})
}

// killOnce kills one process after a time and returns the number of scopes it had logged as ended,
// and whether it had logged anything.
func killOnce(t *testing.T, goroutines int, after time.Duration) (done int64, begun bool) {
	cmd := virtualForm.command(t, "file=data", "log", strconv.Itoa(goroutines))
	var log, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait() // also waits for the end of the pipe
	if stderr.Len() > 0 {
		t.Errorf("stderr %q", stderr.String())
	}
	path := filepath.Join(cmd.Dir, "data")
	b, err := os.ReadFile(path)
	if log.Len() == 0 && (err != nil || len(b) < layout.HeaderSize || string(b[:8]) != layout.Magic || b[layout.OffUsed+1] == 0) {
		return 0, false // it had not opened its file yet
	}
	d := readData(t, path)
	if d.word(layout.OffState) != layout.StateProfiling && log.Len() > 0 {
		t.Errorf("state %d", d.word(layout.OffState))
	}
	// The scope of main is open, and at most one of each goroutine.
	open := uint64(0)
	for _, m := range d.marks {
		open += m.open
	}
	if log.Len() > 0 && d.marks["demo.main"].open != 1 || open > uint64(1+2*goroutines) {
		t.Errorf("%d scopes are open, main %d", open, d.marks["demo.main"].open)
	}
	var counts [10]uint64
	for name, m := range d.marks {
		if rest, ok := strings.CutPrefix(name, "ledger"); ok {
			counts[rest[0]-'0'] += m.count
		}
	}
	for g := range goroutines {
		least, most := uint64(0), uint64(0)
		i := uint64(0)
		for _, c := range log.Bytes() {
			switch int(c) {
			case 'A' + g:
				most += i%17 + 1
			case 'a' + g:
				least += i%17 + 1
				i++
			}
		}
		if counts[g] < least || counts[g] > most {
			t.Errorf("goroutine %d: %d scopes in the data; %d had been logged as done, %d as begun", g, counts[g], least, most)
		}
		done += int64(least)
	}
	return done, log.Len() > 0
}
