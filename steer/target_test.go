//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/steer"
)

// Files that can't be steered are refused with a one-line message, and not changed.
func TestBadTargets(t *testing.T) {
	good := profiletest.Run{App: "demo", PID: 1, Killed: true, Config: "collect=time", Tables: []profiletest.Table{{Text: unitText, Words: true}}}
	big := good
	big.Big = !isBig()
	file := good.File()
	edited := func(offset int, b byte) []byte {
		f := slices.Clone(file)
		f[offset] = b
		return f
	}
	for name, test := range map[string]struct {
		file []byte
		err  string
	}{
		"empty":     {nil, "offset 0: no header; the file is empty, or the run has just begun"},
		"text":      {[]byte(strings.Repeat("hello, world\n", 1000)), "offset 0: not a data file of a marked program"},
		"cut":       {file[:1000], "the file ends here; it was cut off"},
		"version":   {edited(layout.OffVersion, 99), "data of version 99, and this markgen reads version 7"},
		"other end": {big.File(), "data of a machine with the other byte order"},
		"too early": {profiletest.Run{Killed: true}.File(), "the header is not complete; the run has just begun: try again"},
	} {
		path := t.TempDir() + "/data"
		if err := os.WriteFile(path, test.file, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := steer.Open(path, "")
		if err == nil || !strings.Contains(err.Error(), path+": "+"") || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, test.err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(test.file) {
			t.Errorf("%s: the file was changed", name)
		}
	}
	for target, want := range map[string]string{
		"nothing.data": "nothing.data: there is no such file",
		".":            ".: not a regular file",
	} {
		if _, err := steer.Open(target, ""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
}

func isBig() bool {
	return runfile.CheckHeader(strings.NewReader(string(profiletest.Run{Config: "x"}.File())), layout.HeaderSize, "") != nil
}

// A process that has ended can be inspected but not steered.
func TestEnded(t *testing.T) {
	l := newLive(t, steer.Profiling)
	p := l.open()
	l.f.Close()
	if err := p.Pause(); !errors.Is(err, steer.ErrEnded) {
		t.Errorf("%v", err)
	}
	s, err := p.Status()
	if err != nil || s.Running || s.State != steer.Profiling {
		t.Errorf("%+v, %v", s, err)
	}
}

// A file that is truncated while it is mapped is an error, not a crash.
func TestCutOff(t *testing.T) {
	l := newLive(t, steer.Profiling)
	p := l.open()
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if err := l.f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if err := p.Resume(); err == nil || !strings.Contains(err.Error(), l.path) {
		t.Errorf("%v", err)
	}
	if _, err := p.State(); err == nil {
		t.Error("a state was read from a file of no bytes")
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Pause(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
