package collect

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A made is a program's collector.
type made struct {
	values []string
	read   func(into []uint64)
}

func (m made) Values() []string {
	if m.values == nil {
		panic("none")
	}
	return m.values
}

func (m made) Read(into []uint64) { m.read(into) }

func TestOwns(t *testing.T) {
	var owns Owns
	for _, tt := range []struct {
		name    string
		c       Collector
		problem string
	}{
		{"io", made{}, "markgen's own"},
		{ProcessAlloc, made{}, "markgen's own"},
		{"Cache", made{}, "lower-case"},
		{"", made{}, "lower-case"},
		{"cache", nil, "nil"},
		{"cache", made{values: []string{"bytes"}}, ""},
		{"cache", made{}, "second time"},
	} {
		own, problem := owns.Add(tt.name, tt.c)
		if (own == nil) != (tt.problem != "") || !strings.Contains(problem, tt.problem) {
			t.Errorf("%q: %q, want %q", tt.name, problem, tt.problem)
		}
	}
	for _, tt := range []struct {
		values []string
		ok     bool
	}{
		{[]string{"hits", "used_bytes"}, true},
		{nil, false}, // it panics
		{[]string{}, false},
		{[]string{"a", "a"}, false},
		{[]string{"a-b"}, false},
		{slices.Repeat([]string{"x"}, maxOwnValues+1), false},
	} {
		own := Own{Name: "made", c: made{values: tt.values}, reader: (*Own).newReader}
		own.SetValues(own.AskValues())
		r, problem := own.Reader(nil, nil)
		if (problem == "") != tt.ok || tt.ok && !slices.Equal(r.Values, tt.values) || !own.Ready() {
			t.Errorf("%q: %q, %q", tt.values, r.Values, problem)
		}
	}
	for owns.n < maxOwns {
		if _, problem := owns.Add("n"+strings.Repeat("x", owns.n), made{}); problem != "" {
			t.Fatal(problem)
		}
	}
	if _, problem := owns.Add("more", made{}); problem == "" || len(owns.All()) != maxOwns || owns.Named("more") != nil {
		t.Error("one too many is added")
	}
}

// A collector that panics is read once, in each run; one that ends its goroutine is read again.
func TestOwnFails(t *testing.T) {
	var said []string
	calls, left := 0, 0
	own := Own{Name: "made", reader: (*Own).newReader, c: made{values: []string{"n"}, read: func([]uint64) {
		calls++
		panic(errors.New("worn out"))
	}}}
	own.SetValues(own.AskValues())
	for range 2 {
		r, _ := own.Reader(func() { left++ }, func(what string) { said = append(said, what) })
		for range 3 {
			if _, ok := r.Read(nil, nil); ok {
				t.Error("read")
			}
		}
	}
	if calls != 2 || len(said) != 2 || said[0] != "collector made: Read panicked; it is read no more" {
		t.Errorf("%d calls, said %q", calls, said)
	}

	own = Own{Name: "made", reader: (*Own).newReader, c: made{values: []string{"n"}, read: func([]uint64) { runtime.Goexit() }}}
	own.SetValues(own.AskValues())
	r, _ := own.Reader(func() { left++ }, nil)
	for range 2 {
		done := make(chan bool)
		go func() {
			defer close(done)
			r.Read(nil, nil)
		}()
		<-done
	}
	if left != 2 {
		t.Errorf("left %d times", left)
	}
}
