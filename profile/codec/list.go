package codec

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/markgen/markgen/profile/table"
)

// List writes the contents of a profile file in file order, one line for each number and text: its
// encoding (uint, int, text, float, word), its value and its meaning. The list is complete: the
// file can be rebuilt from the values, and the lengths and checksum that follow from them.
// docs/reference/profile-file.md describes the encodings.
func List(w io.Writer, file []byte) error {
	if len(file) < headSize || string(file[:8]) != Magic || binary.LittleEndian.Uint32(file[8:]) != version ||
		crc32.Checksum(file[headSize:], castagnoli) != binary.LittleEndian.Uint32(file[12:]) {
		return damaged("profile", 0, "not a profile file that this markgen reads")
	}
	l := &lister{w: bufio.NewWriter(w)}
	whole := reader{rest: file[headSize:]}
	l.reader = whole.section()
	wild, paths := l.runs()
	bad := l.bad || len(l.rest) > 0
	text := whole.section()
	plain, err := table.Unpack(text.rest)
	if err != nil {
		return err
	}
	l.say("section %d bytes, packed: the names", len(text.rest))
	markers, blocks := 0, 0
	for line := range strings.Lines(plain) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "m\t"):
			markers++
		case strings.HasPrefix(line, "b\t"):
			blocks++
		}
		l.say("line %q", line)
	}
	l.reader = whole.section()
	l.say("section %d bytes: figures", len(l.rest))
	for i := range markers {
		l.marker(fmt.Sprintf("marker %d ", i+1))
	}
	for i := range blocks {
		l.uint(fmt.Sprintf("block %d: count", i+1))
	}
	for i := range markers {
		if !wild {
			break
		}
		if l.uint(fmt.Sprintf("marker %d: picked in runs", i+1)) > 0 {
			l.uints("1/p", "", "scopes/p", "", "variance", "")
		}
	}
	if paths {
		l.paths()
	}
	if err := l.w.Flush(); err != nil {
		return err
	}
	if bad || l.bad || len(l.rest) > 0 || whole.bad || len(whole.rest) > 0 {
		return errors.New("it ends before all of it is listed")
	}
	return nil
}

// A lister writes each value that it reads, with its meaning.
type lister struct {
	reader
	w *bufio.Writer
}

func (l *lister) say(format string, args ...any) {
	if !l.bad {
		fmt.Fprintf(l.w, format+"\n", args...)
	}
}

func (l *lister) uint(what string) uint64 {
	n := l.reader.uint()
	l.say("uint %d %s", n, what)
	return n
}

func (l *lister) uints(what ...string) {
	for _, w := range what {
		l.uint(w)
	}
}

func (l *lister) int(what string) {
	n := l.reader.int()
	l.say("int %d %s", n, what)
}

func (l *lister) word(what string) {
	n := l.reader.word()
	l.say("word %016x %s", n, what)
}

func (l *lister) text(what string) {
	s := l.reader.text()
	l.say("text %q %s", s, what)
}

// times reads a count and calls f as often.
func (l *lister) times(what string, f func()) {
	for n := l.uint(what); n > 0 && !l.bad; n-- {
		f()
	}
}

// runs lists the first section, and reports whether functions were picked, and paths recorded.
func (l *lister) runs() (wild, paths bool) {
	l.say("section %d bytes: the runs", len(l.rest))
	bits := l.uint("bits of the runs")
	l.text("program")
	l.text("run")
	l.uint("runs")
	if bits&bitStart != 0 {
		l.int("start of the first")
	}
	l.int("start of the newest")
	l.uint("elapsed ns")
	l.text("clock")
	for _, what := range []string{"Hz", "quantum", "reading", "inside", "whole"} {
		l.word("clock: " + what + " (float)")
	}
	for _, what := range []string{"GOOS", "GOARCH", "Go version", "state", "processor", "main package", "version"} {
		l.text(what)
	}
	l.uint("lost")
	if bits&bitSampling != 0 {
		l.uints("sampling: N", "windows", "open ns", "net ns", "of ns")
	}
	if bits&bitTrace != 0 {
		l.uints("trace records", "lost")
	}
	l.times("changes of state", func() {
		l.uint("at ns")
		l.text("from")
		l.text("to")
		l.text("cause")
		l.word("marker")
	})
	l.times("warnings", func() { l.text("warning") })
	if bits&bitPairs != 0 {
		l.uints("pairs: runs", "lost")
		l.times("pairs", func() {
			l.word("one")
			l.word("other")
		})
	}
	if bits&bitWild != 0 {
		l.uints("picking: runs", "picked", "of", "busy", "full", "no place")
	}
	if bits&bitUnlogged != 0 {
		l.uint("more changes of state")
	}
	if bits&bitCost != 0 {
		l.uints("cost: runs", "processor time, ns", "of markers, ns")
	}
	if bits&bitBudget != 0 {
		l.uint("budget, ppm")
	}
	return bits&bitWild != 0, bits&bitPaths != 0
}

func (l *lister) marker(which string) {
	bits := l.uint(which + "bits")
	l.int("age of its name, ns")
	l.uint("count")
	if bits&bitOpen != 0 {
		l.uint("open")
	}
	if bits&bitTimed != 0 {
		l.uints("self ns", "nested ns", "shortest ns", "longest ns", "ticks")
		l.buckets()
	}
	if bits&bitSampled != 0 {
		l.uints("one in", "samples", "scopes", "variance of the count", "", "variance of the sum", "")
	}
	if bits&bitCallers != 0 {
		l.times("callers", func() {
			l.word("caller")
			l.text("caller")
			l.marker("")
		})
	}
	if bits&bitReadings != 0 {
		l.readings()
	}
	sizes := 0
	if bits&bitSizes != 0 {
		l.times("sizes", func() {
			sizes++
			l.uints("bucket", "count", "sum of sizes", "", "sum ns", "sum of squares", "")
		})
	}
	if bits&bitFirst != 0 {
		l.uints("first scopes: shortest ns", "longest ns")
		l.buckets()
	}
	for ; bits&bitLogs != 0 && sizes > 0 && !l.bad; sizes-- {
		l.uints("logarithms of", "sum", "of squares")
	}
	if bits&bitNotes != 0 {
		l.times("notes", func() { l.text("note") })
	}
	if bits&bitRuns != 0 {
		l.uint("runs")
	}
	if bits&bitLevels != 0 {
		l.uints("ns timed", "counted", "off")
	}
}

func (l *lister) readings() {
	l.times("readings", func() {
		l.text("collector")
		l.uints("read", "dropped")
		l.times("values", func() {
			l.text("value")
			l.uints("sum", "self", "nested")
			l.buckets()
			l.buckets()
		})
	})
}

func (l *lister) buckets() {
	l.times("buckets", func() { l.uints("bucket", "count", "sum", "sum of squares", "") })
}
