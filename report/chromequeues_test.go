package report_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// queues are the events of a thread as speedscope sorts them: begin and end events separately, by
// time. Of a begin and an end at the same time it processes the end first, unless both have the
// same name and arguments, and of ends at the same time the first one with the name of the
// innermost slice.
type queues struct {
	begins, ends []queued
}

type queued struct {
	name string
	args string
	ns   int64
}

func (q *queues) add(e chromeEvent, ns int64) {
	event := queued{*e.Name, arguments(e.Args), ns}
	if e.Ph == "B" {
		q.begins = append(q.begins, event)
	} else {
		q.ends = append(q.ends, event)
	}
}

// check tests that speedscope makes the thread's slices from the events.
func (q queues) check(t testing.TB, th *chromeThread) {
	byTime := func(a, b queued) int { return cmp.Compare(a.ns, b.ns) }
	slices.SortStableFunc(q.begins, byTime)
	slices.SortStableFunc(q.ends, byTime)
	var open, done []*chromeSlice
	for len(q.begins)+len(q.ends) > 0 {
		if len(q.ends) == 0 || len(q.begins) > 0 && (q.begins[0].ns < q.ends[0].ns ||
			q.begins[0].ns == q.ends[0].ns && q.begins[0].name == q.ends[0].name && q.begins[0].args == q.ends[0].args) {
			s := &chromeSlice{title: q.begins[0].name, start: q.begins[0].ns, within: len(open)}
			open, done, q.begins = append(open, s), append(done, s), q.begins[1:]
			continue
		}
		if len(open) == 0 {
			t.Errorf("sorted, %s ends that has not begun", q.ends[0].name)
			return
		}
		s := open[len(open)-1]
		i := slices.IndexFunc(q.ends, func(e queued) bool { return e.name == s.title })
		if i < 0 || q.ends[i].ns > q.ends[0].ns {
			t.Errorf("sorted, %s ends while %s is the innermost slice", q.ends[0].name, s.title)
			return
		}
		s.end = q.ends[i].ns
		open, q.ends = open[:len(open)-1], slices.Delete(q.ends, i, i+1)
	}
	if got, want := nested(done, 0), nested(th.slices, 0); got != want {
		t.Errorf("sorted, %s has the slices\n%swant\n%s", th.name, got, want)
	}
}

// nested lists slices in the order in which they begin, with times since start, without instants.
func nested(all []*chromeSlice, start int64) string {
	var b strings.Builder
	for _, s := range all {
		if s.start != s.end {
			fmt.Fprintf(&b, "%d: %d…%d %s\n", s.within, s.start-start, s.end-start, s.title)
		}
	}
	return b.String()
}
