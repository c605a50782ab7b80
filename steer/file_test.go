//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/steer"
)

// The markers of the test files: run and lex are the gates of their functions.
const (
	unitText = "p\texample.com/demo\nf\tdemo.go\n" +
		"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.run\n" +
		"m\t00000000000000a2\tloop\t0\t14\t2\t0\t-\t-\t1\texample.com/demo.run:for#1\n" +
		"m\t00000000000000a3\tbranch\t0\t16\t2\t0\t-\t-\t1\texample.com/demo.run:if#1.then\n" +
		"m\t00000000000000a4\tfunc\t0\t40\t1\t-\t-\t-\t1\texample.com/demo.lex\n" +
		"c\t00000000000000a5\tblock\t0\t50\t3\texample.com/demo.helper:block#1\n"
	otherText = "p\texample.com/other\nf\tother.go\n" +
		"m\t00000000000000b1\tfunc\t0\t1\t1\t0\t-\t-\t1\texample.com/other.parse a=b\n"
)

// names are the markers of both units.
var names = []string{"example.com/demo.run", "example.com/demo.run:for#1", "example.com/demo.run:if#1.then", "example.com/demo.lex", "example.com/other.parse a=b"}

// live is the data file of a run, locked like that of a running process.
type live struct {
	t    *testing.T
	path string
	f    *os.File
}

func newLive(t *testing.T, state steer.State) *live {
	t.Helper()
	l := &live{t: t, path: filepath.Join(t.TempDir(), "demo.data")}
	bytes := profiletest.Run{
		App: "demo", PID: uint64(os.Getpid()), Killed: true, Config: "collect=time", Hz: 1e9,
		Tables: []profiletest.Table{{Text: unitText, Words: true}, {Text: otherText, Words: true}},
	}.File()
	if err := os.WriteFile(l.path, bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	l.f = f
	l.setWord(layout.OffState, uint64(state))
	return l
}

// open opens the file for steering.
func (l *live) open() *steer.Process {
	l.t.Helper()
	p, err := steer.Open(l.path, "")
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { p.Close() })
	return p
}

func (l *live) word(offset int64) uint64 {
	l.t.Helper()
	var b [8]byte
	if _, err := l.f.ReadAt(b[:], offset); err != nil {
		l.t.Fatal(err)
	}
	return binary.NativeEndian.Uint64(b[:])
}

func (l *live) setWord(offset int64, v uint64) {
	l.t.Helper()
	if _, err := l.f.WriteAt(binary.NativeEndian.AppendUint64(nil, v), offset); err != nil {
		l.t.Fatal(err)
	}
}

// words returns the Off and Index words of each marker, by name.
func (l *live) words() map[string][2]uint32 {
	l.t.Helper()
	all := map[string][2]uint32{}
	for name, at := range l.places() {
		w := l.word(at)
		b := binary.NativeEndian.AppendUint64(nil, w)
		all[name] = [2]uint32{binary.NativeEndian.Uint32(b[layout.MarkerOff:]), binary.NativeEndian.Uint32(b[layout.MarkerIndex:])}
	}
	return all
}

// ack clears the requests of all markers, as a program does at its next call.
func (l *live) ack() {
	for name, w := range l.words() {
		index := w[1] &^ layout.IndexControl
		if index&^(layout.IndexMask|layout.IndexOff) == 0 {
			index &^= layout.IndexOff
		}
		l.setWords(name, w[0], index)
	}
}

func (l *live) setWords(name string, off, index uint32) {
	var b [8]byte
	binary.NativeEndian.PutUint32(b[layout.MarkerOff:], off)
	binary.NativeEndian.PutUint32(b[layout.MarkerIndex:], index)
	l.setWord(l.places()[name], binary.NativeEndian.Uint64(b[:]))
}

// units returns the units in the file.
func (l *live) units() []*runfile.Unit {
	l.t.Helper()
	info, err := l.f.Stat()
	if err != nil {
		l.t.Fatal(err)
	}
	var units runfile.Units
	if err := units.Follow(l.f, info.Size(), l.path); err != nil {
		l.t.Fatal(err)
	}
	return units.List
}

// blockOf returns the offset of the block with a unit's words, which start within its first bytes
// in the files of the tests.
func (l *live) blockOf(u *runfile.Unit) int64 {
	l.t.Helper()
	for at := int64(u.Words) / layout.BlockAlign * layout.BlockAlign; at > 0; at -= layout.BlockAlign {
		if l.word(at) == layout.BlockMarkers {
			return at
		}
	}
	l.t.Fatalf("unit %d has no block of words", u.Number)
	return 0
}

// places returns the offsets of each marker's words.
func (l *live) places() map[string]int64 {
	at := map[string]int64{}
	for _, u := range l.units() {
		for i, m := range u.Markers {
			at[m.Name] = int64(u.Words) + int64(i)*layout.MarkerSize
		}
	}
	return at
}

// append appends a block of a type and size to the file, and returns its offset.
func (l *live) append(kind uint32, size int) int64 {
	l.t.Helper()
	at := int64(l.word(layout.OffUsed))
	size = (size + layout.BlockAlign - 1) / layout.BlockAlign * layout.BlockAlign
	block := make([]byte, size)
	binary.NativeEndian.PutUint32(block[layout.OffBlockType:], kind)
	binary.NativeEndian.PutUint64(block[layout.OffBlockSize:], uint64(size))
	if _, err := l.f.WriteAt(block, at); err != nil {
		l.t.Fatal(err)
	}
	l.setWord(layout.OffUsed, uint64(at)+uint64(size))
	return at
}

// pair returns the word made of two halves, the first at the lower address.
func pair(first, second uint32) uint64 {
	return binary.NativeEndian.Uint64(binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, first), second))
}
