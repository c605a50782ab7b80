package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A chromeModel has processes by process ID.
type chromeModel map[uint32]*chromeProcess

type chromeProcess struct {
	name, labels string
	instants     []string
	watches      []*chromeSlice
	running      map[string]*chromeSlice
	threads      map[uint64]*chromeThread
}

type chromeThread struct {
	name   string
	last   int64 // ns
	open   []*chromeSlice
	slices []*chromeSlice
	queues queues
}

type chromeSlice struct {
	title      string
	start, end int64 // ns; end is -1 if it is not known yet
	args       map[string]any
	within     int
	thread     uint64
}

func (s *chromeSlice) String() string {
	return fmt.Sprintf("%d…%d %s%s", s.start, s.end, s.title, arguments(s.args))
}

func (m chromeModel) add(e chromeEvent) error {
	if e.PID == nil || *e.PID == 0 {
		return errors.New("no process")
	}
	p := m[*e.PID]
	if p == nil {
		p = &chromeProcess{threads: map[uint64]*chromeThread{}, running: map[string]*chromeSlice{}}
		m[*e.PID] = p
	}
	for key, v := range e.Args {
		switch v.(type) {
		case string, json.Number:
		default:
			return fmt.Errorf("argument %s is a %T", key, v)
		}
	}
	if e.Ph == "M" {
		return p.metadata(e)
	}
	if !microseconds.MatchString(string(e.TS)) {
		return fmt.Errorf("time %s", e.TS)
	}
	ns, err := json.Number(strings.Replace(string(e.TS), ".", "", 1)).Int64()
	if err != nil {
		return err
	}
	if e.Ph == "i" && e.S != nil && *e.S == "p" {
		if e.TID != nil || e.Name == nil {
			return errors.New("an instant of a process with a thread, or without a name")
		}
		p.instants = append(p.instants, fmt.Sprintf("%d %s%s", ns, *e.Name, arguments(e.Args)))
		return nil
	}
	if e.TID == nil || *e.TID == 0 {
		return errors.New("no thread")
	}
	th := p.threads[*e.TID]
	if th == nil || th.name == "" {
		return errors.New("a thread before its name")
	}
	if e.ID != nil {
		return p.watch(e, ns)
	}
	if ns < th.last {
		return fmt.Errorf("time goes back from %d", th.last)
	}
	th.last = ns
	if e.Ph != "i" && e.Name != nil {
		th.queues.add(e, ns)
	}
	switch {
	case e.Ph == "B" && e.Name != nil && e.Cat != nil && e.S == nil:
		s := &chromeSlice{*e.Name, ns, -1, e.Args, len(th.open), *e.TID}
		th.slices, th.open = append(th.slices, s), append(th.open, s)
	case e.Ph == "E" && e.Name != nil && e.Cat == nil && e.S == nil:
		if len(th.open) == 0 {
			return errors.New("an end without a beginning")
		}
		s := th.open[len(th.open)-1]
		switch {
		case s.title != *e.Name:
			return fmt.Errorf("the end of another than the innermost slice, %s", s.title)
		case s.start >= ns:
			return errors.New("a slice of no time, of which readers that sort can't tell the beginning from the end")
		}
		th.open = th.open[:len(th.open)-1]
		s.end = ns
		for key, v := range e.Args {
			if _, ok := s.args[key]; ok {
				return fmt.Errorf("both events have the argument %s", key)
			}
			s.args[key] = v
		}
	case e.Ph == "i" && e.Name != nil && e.Cat != nil && e.S != nil && *e.S == "t":
		th.slices = append(th.slices, &chromeSlice{*e.Name, ns, ns, e.Args, len(th.open), *e.TID})
	default:
		return errors.New("not an event of those that are written")
	}
	return nil
}

// watch adds an end of a slice that is on no thread.
func (p *chromeProcess) watch(e chromeEvent, ns int64) error {
	s := p.running[e.ID.Local]
	switch {
	case e.Name == nil || e.Cat == nil || e.S != nil || e.ID.Local == "":
		return errors.New("not an event of a stopwatch")
	case e.Ph == "b" && s == nil:
		s = &chromeSlice{*e.Name, ns, -1, e.Args, 0, *e.TID}
		p.watches, p.running[e.ID.Local] = append(p.watches, s), s
	case e.Ph == "e" && s != nil && s.end < 0 && s.title == *e.Name && s.thread == *e.TID:
		s.end = ns
		for key, v := range e.Args {
			s.args[key] = v
		}
	default:
		return errors.New("a stopwatch begins twice, or ends that does not run, or on another thread")
	}
	return nil
}

func (p *chromeProcess) metadata(e chromeEvent) error {
	if e.Name == nil || e.Cat != nil || e.TS != "" || len(e.Args) != 1 {
		return errors.New("fields that metadata don't have")
	}
	text := func(key string) string { s, _ := e.Args[key].(string); return s }
	switch {
	case *e.Name == "process_name" && p.name == "":
		p.name = text("name")
	case *e.Name == "process_labels" && p.labels == "":
		p.labels = text("labels")
	case *e.Name == "process_sort_index":
	case *e.Name == "thread_name" && e.TID != nil && text("name") == fmt.Sprintf("goroutine %d", *e.TID):
		if p.threads[*e.TID] == nil {
			p.threads[*e.TID] = &chromeThread{name: text("name")}
		}
	default:
		return errors.New("not among the metadata that are written")
	}
	return nil
}

// arguments returns the arguments of an event, sorted by name.
func arguments(args map[string]any) string {
	text := ""
	for _, key := range slices.Sorted(maps.Keys(args)) {
		text += fmt.Sprintf(" %s=%v", key, args[key])
	}
	return text
}

func (m chromeModel) String(t testing.TB) string {
	var b strings.Builder
	for _, pid := range slices.Sorted(maps.Keys(m)) {
		p := m[pid]
		if p.name == "" || p.labels == "" {
			t.Errorf("process %d has no name or no labels", pid)
		}
		fmt.Fprintf(&b, "process %d %s, %s\n", pid, p.name, p.labels)
		for _, line := range p.instants {
			fmt.Fprintf(&b, "  %s\n", line)
		}
		for _, s := range p.watches {
			if s.end < 0 {
				t.Errorf("process %d: the stopwatch %s never ends", pid, s.title)
			}
			fmt.Fprintf(&b, "  %s\n", s)
		}
		for _, tid := range slices.Sorted(maps.Keys(p.threads)) {
			fmt.Fprintf(&b, "  thread %d %s\n", tid, p.threads[tid].name)
			if open := p.threads[tid].open; len(open) > 0 {
				t.Errorf("process %d, thread %d: %v never end", pid, tid, open)
			}
			p.threads[tid].queues.check(t, p.threads[tid])
			for _, s := range p.threads[tid].slices {
				fmt.Fprintf(&b, "    %s%s\n", strings.Repeat("  ", s.within), s)
			}
		}
	}
	return b.String()
}
