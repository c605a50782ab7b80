//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package steer_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/tier"
)

// Each verb in each state: an allowed transition changes the state and the words; another one is
// refused, with the allowed ones in the message.
func TestTransitions(t *testing.T) {
	const off = layout.OffByState | layout.OffSettled
	for _, test := range []struct {
		state steer.State
		verb  string
		to    steer.State // same as state if refused
		off   uint32
		err   string
	}{
		{steer.Configured, "start", steer.Profiling, 0, ""},
		{steer.Configured, "pause", steer.Configured, 0, "pause makes a run paused, and this one is configured; allowed now: start"},
		{steer.Configured, "resume", steer.Configured, 0, "resume makes a run profiling, and this one is configured; allowed now: start"},
		{steer.Profiling, "pause", steer.Paused, off, ""},
		{steer.Profiling, "stop", steer.Stopped, off, ""},
		{steer.Profiling, "start", steer.Profiling, 0, "start makes a run profiling, and this one is so already; allowed now: pause, stop"},
		{steer.Profiling, "resume", steer.Profiling, 0, "resume makes a run profiling, and this one is so already; allowed now: pause, stop"},
		{steer.Paused, "resume", steer.Profiling, 0, ""},
		{steer.Paused, "stop", steer.Stopped, off, ""},
		{steer.Paused, "pause", steer.Paused, off, "pause makes a run paused, and this one is so already; allowed now: resume, stop"},
		{steer.Stopped, "resume", steer.Stopped, off, "resume makes a run profiling, and this one is stopped; nothing can be changed any more"},
		{steer.Profiling, "halt", steer.Profiling, 0, `"halt" changes no state; the words are [start pause resume stop]`},
	} {
		l := newLive(t, test.state)
		p := l.open()
		err := p.Do(test.verb)
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasSuffix(err.Error(), test.err)) {
			t.Errorf("%s in %s: %v, want %q", test.verb, test.state, err, test.err)
		}
		if got := steer.State(l.word(layout.OffState)); got != test.to {
			t.Errorf("%s in %s: the state is %s, want %s", test.verb, test.state, got, test.to)
		}
		if test.verb == "halt" {
			continue
		}
		for name, words := range l.words() { // its counter can't be turned on and off from outside
			if asked := words[1]&layout.IndexControl != 0; asked != (test.to != steer.Configured) {
				t.Errorf("%s in %s: %s has the program look: %v", test.verb, test.state, name, asked)
			}
		}
		l.ack()
		for name, words := range l.words() {
			if words != [2]uint32{test.off, 0} {
				t.Errorf("%s in %s: the words of %s are %#x", test.verb, test.state, name, words)
			}
		}
	}
}

// A change whose process was killed is completed by the next one.
func TestHalfDone(t *testing.T) {
	l := newLive(t, steer.Profiling)
	l.setWord(layout.OffState, uint64(steer.Paused)) // then killed
	var refused *steer.TransitionError
	if err := l.open().Pause(); !errors.As(err, &refused) {
		t.Fatal(err)
	}
	for name, words := range l.words() {
		if words[0]&^layout.OffSettled != layout.OffByState {
			t.Errorf("%s: Off is %#x", name, words[0])
		}
	}
}

// The time in state profiling is summed over transitions.
func TestProfiled(t *testing.T) {
	l := newLive(t, steer.Configured)
	start := profileStart(t, l)
	p := l.open()
	do := func(verb string) {
		t.Helper()
		if err := p.Do(verb); err != nil {
			t.Fatal(err)
		}
	}
	do("start")
	time.Sleep(30 * time.Millisecond)
	do("pause")
	first := time.Duration(l.word(layout.OffProfiled)) // 1 GHz
	time.Sleep(50 * time.Millisecond)
	do("resume")
	time.Sleep(20 * time.Millisecond)
	s, err := p.Status()
	if err != nil {
		t.Fatal(err)
	}
	do("stop")
	all := time.Duration(l.word(layout.OffProfiled))
	if first < 30*time.Millisecond || all < first+20*time.Millisecond || all > time.Since(start)-50*time.Millisecond {
		t.Errorf("profiling for %v and then %v", first, all)
	}
	if s.Profiled < first+20*time.Millisecond || s.Profiled > all || s.Since > s.Profiled {
		t.Errorf("while it goes on: profiling for %v, since %v", s.Profiled, s.Since)
	}
}

// profileStart makes the run begin now.
func profileStart(t *testing.T, l *live) time.Time {
	t.Helper()
	mono, err := steer.MonoNS()
	if err != nil {
		t.Fatal(err)
	}
	l.setWord(layout.OffStartMono, mono)
	l.setWord(layout.OffSince, l.word(layout.OffStartTick))
	return time.Now()
}

// Settings turn markers on and off, together with their gates.
func TestSet(t *testing.T) {
	const (
		out   = layout.OffByChoice | layout.OffSettled
		index = layout.IndexOff | layout.IndexOffChoice
	)
	in, left := [2]uint32{}, [2]uint32{out, index}
	open := [2]uint32{0, index} // its own calls are not selected, but a marker behind it is
	for _, test := range []struct {
		set  string
		want [5][2]uint32 // by index of names
	}{
		{"only=*lex", [5][2]uint32{left, left, left, in, left}},
		{"only=*.run:*", [5][2]uint32{open, in, in, left, left}},
		{"only=*.run:*;*parse a=b skip=*:if*", [5][2]uint32{open, in, left, left, in}},
		{"skip=*:*", [5][2]uint32{in, left, left, in, in}},
		{"skip=*", [5][2]uint32{left, left, left, left, left}},
		{"only=*lex on=*:for#1", [5][2]uint32{open, in, left, in, left}},
		{"off=*:*", [5][2]uint32{in, left, left, in, in}},
		{"example.com/demo.run=off", [5][2]uint32{open, in, in, in, in}},
		{"example.com/other.parse a=b=off", [5][2]uint32{in, in, in, in, left}},
		{"off=* on=*lex off=example.com/demo.lex", [5][2]uint32{left, left, left, left, left}},
	} {
		l := newLive(t, steer.Profiling)
		p := l.open()
		settings := strings.Fields(strings.ReplaceAll(test.set, "parse a", "parse_a"))
		for i := range settings {
			settings[i] = strings.ReplaceAll(settings[i], "parse_a", "parse a")
		}
		if err := p.Set(settings...); err != nil {
			t.Errorf("%s: %v", test.set, err)
			continue
		}
		var got [5][2]uint32
		for i, name := range names {
			got[i] = l.words()[name]
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.set, diff)
		}
		if err := p.Set("on=*"); err != nil {
			t.Fatal(err)
		}
		for name, words := range l.words() {
			if words != in {
				t.Errorf("%s, and on=*: the words of %s are %#x", test.set, name, words)
			}
		}
	}
}

// Other bits of the words are preserved.
func TestOtherReasons(t *testing.T) {
	l := newLive(t, steer.Profiling)
	p := l.open()
	const run, lex = "example.com/demo.run", "example.com/demo.lex"
	l.setWords(run, layout.OffByLimit|layout.OffSettled, 77|layout.IndexOff|layout.IndexOffEnough|layout.IndexWatched)
	l.setWords(lex, layout.OffByState|layout.OffSettled, 78)
	steps := []struct {
		do   func() error
		want [2][2]uint32
	}{
		{p.Pause, [2][2]uint32{
			{layout.OffByLimit | layout.OffByState | layout.OffSettled, 77 | layout.IndexOff | layout.IndexOffEnough | layout.IndexWatched},
			{layout.OffByState | layout.OffSettled, 78}}},
		{func() error { return p.Set("off=*") }, [2][2]uint32{
			{layout.OffByLimit | layout.OffByState | layout.OffByChoice | layout.OffSettled, 77 | layout.IndexOff | layout.IndexOffChoice | layout.IndexOffEnough | layout.IndexWatched},
			{layout.OffByState | layout.OffByChoice | layout.OffSettled, 78 | layout.IndexOff | layout.IndexOffChoice}}},
		{p.Resume, [2][2]uint32{
			{layout.OffByLimit | layout.OffByChoice | layout.OffSettled, 77 | layout.IndexOff | layout.IndexOffChoice | layout.IndexOffEnough | layout.IndexWatched},
			{layout.OffByChoice | layout.OffSettled, 78 | layout.IndexOff | layout.IndexOffChoice}}},
		{func() error { return p.Set("on=*") }, [2][2]uint32{
			{layout.OffByLimit | layout.OffSettled, 77 | layout.IndexOff | layout.IndexOffEnough | layout.IndexWatched},
			{0, 78}}},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		l.ack()
		got := [2][2]uint32{l.words()[run], l.words()[lex]}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", i, diff)
		}
	}
}

// An invalid setting changes nothing, and neither do the settings given with it.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ set, err string }{
		{"sample=1:0", "set sample=1:0: not 1:N with N from 1 to 1000000000, such as 1:100; 1:1 collects every scope"},
		{"sample=100", "set sample=100: not 1:N with"},
		{"sample=1:1000000001", "set sample=1:1000000001: not 1:N with"},
		{"sample=1:+3", "set sample=1:+3: not 1:N with"},
		{"sample=1:99999999999999999999", "set sample=1:99999999999999999999: not 1:N with"},
		{"only=*nothing", "*nothing: matches none of the 5 markers; see markgen report for their names; * matches any text"},
		{"off=*lex;*nothing", "*nothing: matches none"},
		{"example.com/demo.rum=off", "example.com/demo.rum: matches none"},
		{"demo.run=off", "demo.run: no marker has that name; =on and =off follow a whole name; did you mean example.com/demo.run?"},
		{"example.com/*=off", "example.com/*: no marker has that name; =on and =off follow a whole name; of globs write on=example.com/*"},
		{"off=*helper*", "*helper*: only counted, not timed, and counters can't be turned on and off"},
		{"throttle=5", "set throttle=5: not a setting; the keys are only, skip, on, off and sample"},
		{"only", "set only: not of the form KEY=VALUE"},
		{"only=", "set only=: has no value"},
		{"=on", "set =on: not of the form KEY=VALUE"},
		{"only=;", "set only=;: has no glob"},
	} {
		l := newLive(t, steer.Profiling)
		err := l.open().Set("off=*lex", "sample=1:10", test.set)
		if err == nil || !strings.Contains(err.Error(), l.path+": "+test.err) {
			t.Errorf("%s: %v, want %s", test.set, err, test.err)
		}
		for name, words := range l.words() {
			if words != [2]uint32{} {
				t.Errorf("%s: the words of %s are %#x", test.set, name, words)
			}
		}
		if n := l.word(layout.OffSampleN); n != 0 {
			t.Errorf("%s: sampled 1:%d", test.set, n)
		}
	}
}

// A program that has not sampled so far is notified through its markers.
func TestAsked(t *testing.T) {
	l := newLive(t, steer.Profiling)
	const run, asked = "example.com/demo.run", layout.IndexOff | layout.IndexControl
	l.setWords(run, 0, 7)
	p := l.open()
	if err := p.Set("sample=1:10"); err != nil {
		t.Fatal(err)
	}
	if words := l.words()[run]; words != [2]uint32{0, 7} {
		t.Errorf("a program that samples: %#x", words)
	}
	l.setWord(layout.OffWindowWidth, 1<<64-1)
	if err := p.Set("sample=1:1"); err != nil {
		t.Fatal(err)
	}
	if words := l.words()[run]; words != [2]uint32{0, 7} {
		t.Errorf("every scope as before: %#x", words)
	}
	if err := p.Set("sample=1:100"); err != nil {
		t.Fatal(err)
	}
	if words := l.words()[run]; words != [2]uint32{0, 7 | asked} || l.word(layout.OffSampleN) != 100 {
		t.Errorf("%#x", words)
	}
	if s, err := p.Status(); err != nil || s.On != 5 || s.Sample != 100 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Markers watched by a trigger keep their gates open in every state except stopped.
func TestKept(t *testing.T) {
	l := newLive(t, steer.Profiling)
	p := l.open()
	const run = "example.com/demo.run"
	const kept = layout.IndexOff | layout.IndexKept | 9
	l.setWords(run, 0, kept)
	for _, step := range []struct {
		do   func() error
		want [2]uint32
	}{
		{p.Pause, [2]uint32{0, kept}},
		{func() error { return p.Set("off=*") }, [2]uint32{0, kept | layout.IndexOffChoice}},
		{func() error { return p.Set("on=*") }, [2]uint32{0, kept}},
		{p.Stop, [2]uint32{layout.OffByState | layout.OffSettled, kept}},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		l.ack()
		if got := l.words()[run]; got != step.want {
			t.Errorf("%#x, want %#x", got, step.want)
		}
	}
}

// Changes of state are logged, with their cause.
func TestLog(t *testing.T) {
	l := newLive(t, steer.Profiling)
	log := l.append(layout.BlockLog, layout.OffLogData+layout.LogRoom*layout.LogSize)
	p := l.open()
	for _, verb := range []string{"pause", "resume"} {
		if err := p.Do(verb); err != nil {
			t.Fatal(err)
		}
	}
	if n := l.word(log + layout.OffLogLen); n != 2 {
		t.Errorf("%d lines", n)
	}
	line := log + layout.OffLogData + layout.LogSize
	if tick := l.word(line + layout.LogTick); tick != l.word(layout.OffSince) || tick < l.word(log+layout.OffLogData) {
		t.Errorf("the second line is of tick %d", tick)
	}
	if states := l.word(line + layout.LogFrom); states != pair(layout.StatePaused, layout.StateProfiling) {
		t.Errorf("states %#x", states)
	}
	if cause := l.word(line + layout.LogCause); cause != pair(layout.LogOutside, 0) {
		t.Errorf("cause and marker %#x", cause)
	}
	l.setWord(log+layout.OffLogLen, layout.LogRoom)
	before := l.word(log + layout.OffLogData + layout.LogRoom*layout.LogSize - 8)
	if err := p.Pause(); err != nil {
		t.Fatal(err)
	}
	if n, after := l.word(log+layout.OffLogLen), l.word(log+layout.OffLogData+layout.LogRoom*layout.LogSize-8); n != layout.LogRoom+1 || after != before {
		t.Errorf("a full log: %d lines, the last word became %#x", n, after)
	}
}

// A marker with an open scope is not settled: the code must find the end.
func TestSettle(t *testing.T) {
	l := newLive(t, steer.Profiling)
	alias := func(cell uint64, marker int) {
		at := l.append(layout.BlockAlias, layout.BlockAlign)
		l.setWord(at+layout.OffAliasFrom, cell)
		l.setWord(at+layout.OffAliasTo, uint64(marker)) // numbers of the first table start at 0 here
	}
	alias(100, 0)
	alias(101, 1)
	alias(102, 1)
	stack := l.append(layout.BlockStack, layout.OffStackData+8*layout.StackSize)
	l.setWord(stack+layout.OffStackLen, pair(2, 8))
	l.setWord(stack+layout.OffStackData+layout.StackMarker, pair(1<<30|(100+layout.StackFirst), 0))
	l.setWord(stack+layout.OffStackData+layout.StackSize+layout.StackMarker, pair(101+layout.StackFirst, 0))
	l.setWords(names[0], 0, 100+layout.StackFirst)
	l.setWords(names[1], 0, 102+layout.StackFirst) // the open scope is from its earlier cell
	l.setWords(names[2], 0, 103+layout.StackFirst)
	if err := l.open().Pause(); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{0, 0, layout.OffSettled, layout.OffSettled, layout.OffSettled} {
		if got := l.words()[names[i]][0]; got != layout.OffByState|want {
			t.Errorf("%s: Off is %#x", names[i], got)
		}
	}
	l = newLive(t, steer.Profiling)
	l.setWord(layout.OffFlags, layout.FlagPartial) // there may be stacks in memory
	if err := l.open().Pause(); err != nil {
		t.Fatal(err)
	}
	if got := l.words()[names[0]][0]; got != layout.OffByState {
		t.Errorf("a partial file: Off is %#x", got)
	}
}

// A program registers units while it is steered, in a growing file.
func TestGrowth(t *testing.T) {
	l := newLive(t, steer.Profiling)
	p := l.open()
	if err := p.Set("off=*lex"); err != nil {
		t.Fatal(err)
	}
	whole := profiletest.Run{Killed: true, Config: "collect=time", Tables: []profiletest.Table{{Text: unitText, Words: true}, {Text: otherText, Words: true},
		{Text: strings.ReplaceAll(otherText, "other", "late"), Words: true}}}.File()
	used := int64(l.word(layout.OffUsed))
	if _, err := l.f.WriteAt(whole[used:], used); err != nil {
		t.Fatal(err)
	}
	if err := p.Pause(); err != nil { // nothing is published yet
		t.Fatal(err)
	}
	l.setWord(layout.OffUsed, uint64(len(whole)))
	if words := l.words()["example.com/late.parse a=b"]; words != [2]uint32{} {
		t.Errorf("words beyond the bytes in use were changed: %#x", words)
	}
	if err := p.Set("late.parse a=b=off"); err == nil {
		t.Error("a name that is none was taken")
	}
	if err := p.Turn("example.com/late.parse a=b", false); err != nil {
		t.Fatal(err)
	}
	if words := l.words()["example.com/late.parse a=b"]; words[0]&^layout.OffSettled != layout.OffByChoice {
		t.Errorf("words %#x", words)
	}
	s, err := p.Status()
	if err != nil || s.Markers != 6 || s.On != 4 || s.Off != 2 || s.Counters != 1 || s.Beyond != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// If no marker can follow, the state is not changed.
func TestNoWords(t *testing.T) {
	l := newLive(t, steer.Profiling)
	for _, u := range l.units() {
		at := l.blockOf(u)
		l.setWord(at, uint64(layout.BlockPad)) // as if the words were not in the file
	}
	p := l.open()
	if err := p.Pause(); err == nil || !strings.Contains(err.Error(), "pause: the words of its markers are not in the data file") {
		t.Errorf("%v", err)
	}
	if s := l.word(layout.OffState); s != layout.StateProfiling {
		t.Errorf("the state became %d", s)
	}
	var none *steer.NoMatchError
	if err := p.Set("off=*lex"); !errors.As(err, &none) || !none.Beyond {
		t.Errorf("%v", err)
	}
	if s, err := p.Status(); err != nil || s.Beyond != 5 || s.On+s.Off != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Several processes steer at once, and so does the program: in the end the words agree with the
// state.
func TestAtOnce(t *testing.T) {
	tier.Test(t)
	l := newLive(t, steer.Profiling)
	var wg sync.WaitGroup
	for range 4 {
		p := l.open()
		wg.Go(func() {
			for range 50 {
				p.Pause() // half of these are refused
				p.Resume()
			}
		})
	}
	wg.Wait()
	for name, words := range l.words() {
		if (words[0] != 0) != (l.word(layout.OffState) != layout.StateProfiling) {
			t.Errorf("%s: Off is %#x in state %d", name, words[0], l.word(layout.OffState))
		}
	}
}
