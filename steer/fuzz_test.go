//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer_test

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/steer"
)

// FuzzSteer checks that steering any file terminates without a panic, keeps its length, and changes
// nothing but the words for steering in the header, the words of markers, and the log.
func FuzzSteer(f *testing.F) {
	good := profiletest.Run{App: "demo", Killed: true, Config: "x", Tables: []profiletest.Table{{Text: unitText, Words: true}, {Text: otherText, Words: true, Times: map[int][]uint64{0: {5}}}}}.File()
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(good[:layout.HeaderSize])
	f.Add(profiletest.Run{Config: "x"}.File())
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "data")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		held, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		if err := syscall.Flock(int(held.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		var units runfile.Units
		broken := units.Follow(held, int64(len(file)), path) != nil
		p, err := steer.Open(path, "")
		if err == nil {
			p.Status()
			p.Pause()
			p.Set("off=*", "sample=1:5")
			p.Resume()
			p.On()
			p.Stop()
			p.Close()
		}
		after, err := os.ReadFile(path)
		if err != nil || len(after) != len(file) {
			t.Fatalf("%d bytes became %d, %v", len(file), len(after), err)
		}
		allow := func(from, n uint64) {
			if from+n <= uint64(len(after)) {
				copy(after[from:from+n], file[from:from+n])
			}
		}
		if err == nil && !broken {
			for _, at := range []uint64{layout.OffState, layout.OffSince, layout.OffProfiled, layout.OffFlags, layout.OffSampleN, layout.OffClosed} {
				allow(at, 8)
			}
			for _, u := range units.List {
				if u.Words != 0 {
					allow(u.Words, uint64(len(u.Markers))*layout.MarkerSize)
				}
			}
			if units.Log != 0 {
				allow(units.Log+layout.OffLogLen, layout.OffLogData-layout.OffLogLen+layout.LogRoom*layout.LogSize)
			}
		}
		if !bytes.Equal(after, file) {
			t.Error("something else was changed")
		}
	})
}
