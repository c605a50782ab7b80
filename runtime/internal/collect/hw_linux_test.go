//go:build amd64 || arm64

package collect

import (
	"slices"
	"syscall"
	"testing"
)

// A fakePerf is a system with counters: one thread at a time runs, and the counters of its groups
// advance when they are read.
type fakePerf struct {
	refuse map[string]syscall.Errno // by event
	still  bool                     // the kernel's clock does not advance
	shared map[string]bool          // events that cannot be counted beside others
	thread uint32
	dead   map[uint32]bool
	files  map[int]*fakeEvent
	next   int
	opened int
}

type fakeEvent struct {
	thread  uint32
	id      uint64
	gone    bool // of an earlier thread with the same ID
	events  []string
	values  []uint64
	enabled uint64
	running uint64
}

func (f *fakePerf) system() *perfSystem {
	return &perfSystem{
		thread: func() uint32 { return f.thread },
		lives:  func(thread uint32) bool { return !f.dead[thread] },
		open: func(e *hwEvent, thread uint32, group int) (int, syscall.Errno) {
			if no := f.refuse[e.name]; no != 0 {
				return -1, no
			}
			f.next++
			f.opened++
			leader := f.files[group]
			if leader == nil {
				leader = &fakeEvent{thread: thread, id: uint64(1000 + f.next), enabled: 5, running: 5}
				if !f.still {
					leader.running = 0
				}
			}
			leader.events = append(leader.events, e.name)
			leader.values = append(leader.values, 0)
			f.files[f.next] = leader
			return f.next, 0
		},
		close: func(fd int) {
			if f.files[fd] == nil {
				panic("closed what is not open")
			}
			delete(f.files, fd)
		},
		id: func(fd int, to *uint64) bool {
			e := f.files[fd]
			if e == nil {
				return false
			}
			*to = e.id
			return true
		},
		read: func(fd int, to *Scratch, words int) bool {
			e := f.files[fd]
			if e == nil || words != 3+len(e.values) {
				return false
			}
			if e.thread == f.thread && !f.still && !e.gone {
				e.enabled += 10
				counted := true
				for _, name := range e.events {
					counted = counted && !f.shared[name]
				}
				if counted {
					e.running += 10
					for i := range e.values {
						e.values[i] += uint64(i + 1)
					}
				}
			}
			to[0], to[1], to[2] = uint64(len(e.values)), e.enabled, e.running
			copy(to[3:], e.values)
			return true
		},
	}
}

// fake makes hw use f.
func fake(t *testing.T, f *fakePerf) (missing, values []string) {
	t.Helper()
	f.files, f.dead, f.next = map[int]*fakeEvent{}, map[uint32]bool{}, 0
	if f.thread == 0 {
		f.thread = 1
	}
	kept := hw
	t.Cleanup(func() { hw = kept })
	hw.threads = [hwBlocks]*[hwBlock]hwThread{}
	missing = openEvents(f.system(), testProcess)
	for _, e := range hw.events[:hw.n] {
		values = append(values, e.name)
	}
	if len(f.files) > 0 {
		t.Errorf("%d descriptors are left open", len(f.files))
	}
	return missing, values
}

// Events that the machine refuses are named with the reason, and the others counted.
func TestHWRefused(t *testing.T) {
	all := []string{"cycles", "instructions", "cache_misses", "branch_misses", "page_faults"}
	for _, tt := range []struct {
		about   string
		f       fakePerf
		missing []string
		values  []string
	}{
		{"nothing", fakePerf{}, nil, all},
		{"no counters", fakePerf{refuse: map[string]syscall.Errno{"cycles": syscall.ENOENT, "instructions": syscall.ENOENT, "cache_misses": syscall.EOPNOTSUPP, "branch_misses": syscall.ENOENT}},
			[]string{"cycles, instructions, cache_misses, branch_misses: the machine has no such counter"}, all[4:]},
		{"two reasons", fakePerf{refuse: map[string]syscall.Errno{"cycles": syscall.EACCES, "branch_misses": syscall.EPERM, "cache_misses": syscall.ENOENT}},
			[]string{"cycles: not permitted, see /proc/sys/kernel/perf_event_paranoid",
				"cache_misses: the machine has no such counter", "branch_misses: not permitted, see /proc/sys/kernel/perf_event_paranoid"}, []string{"instructions", "page_faults"}},
		{"too few counters", fakePerf{shared: map[string]bool{"cache_misses": true}},
			[]string{"cache_misses: the machine does not count it, or not beside the others"}, []string{"cycles", "instructions", "branch_misses", "page_faults"}},
		{"no kernel", fakePerf{refuse: map[string]syscall.Errno{"cycles": syscall.ENOSYS, "instructions": syscall.ENOSYS, "cache_misses": syscall.ENOSYS, "branch_misses": syscall.ENOSYS, "page_faults": syscall.ENOSYS}},
			[]string{"cycles, instructions, cache_misses, branch_misses, page_faults: the kernel has no perf_event_open"}, nil},
		{"a coarse clock", fakePerf{still: true},
			[]string{"cycles, instructions, cache_misses, branch_misses, page_faults: the kernel's clock is too coarse"}, nil},
	} {
		missing, values := fake(t, &tt.f)
		if !slices.Equal(missing, tt.missing) {
			t.Errorf("%s: missing %q, want %q", tt.about, missing, tt.missing)
		}
		if !slices.Equal(values, tt.values) {
			t.Errorf("%s: values %q, want %q", tt.about, values, tt.values)
		}
	}
}

// fakeReading is one reading of the fake.
func fakeReading(t *testing.T) (where uint64, values [5]uint64, ok bool) {
	t.Helper()
	var scratch Scratch
	where, ok = readHW(&scratch, values[:hw.n])
	return where, values, ok
}

// Two readings can be compared only on the same thread, if the counters are the same and have
// counted all the time.
func TestHWThreads(t *testing.T) {
	f := &fakePerf{thread: 7}
	fake(t, f)
	a, before, ok := fakeReading(t)
	b, after, ok2 := fakeReading(t)
	if !ok || !ok2 || a != b {
		t.Fatalf("on one thread: %t %t, %x %x", ok, ok2, a, b)
	}
	for i := range before {
		if after[i]-before[i] != uint64(i+1) {
			t.Errorf("value %d grew from %d to %d", i, before[i], after[i])
		}
	}
	if f.thread = 8; true {
		if c, _, ok := fakeReading(t); !ok || c == b {
			t.Errorf("on another thread: %t, %x and %x", ok, c, b)
		}
	}
	f.thread = 7
	if c, _, ok := fakeReading(t); !ok || c != b {
		t.Errorf("back on the first: %t, %x, was %x", ok, c, b)
	}

	// The kernel has multiplexed the counters.
	f.shared = map[string]bool{"cycles": true}
	if c, _, ok := fakeReading(t); !ok || c == b {
		t.Errorf("after a time without counters: %t, %x and %x", ok, c, b)
	}
	f.shared = nil

	// A new thread with the ID of a dead one has its own counters.
	b, _, _ = fakeReading(t)
	for _, e := range f.files {
		e.gone = e.gone || e.thread == 7
	}
	if c, _, ok := fakeReading(t); !ok || c == b {
		t.Errorf("on a thread with the number of another: %t, %x and %x", ok, c, b)
	}

	// The program has closed all descriptors; files that have their numbers now are not read.
	b, _, _ = fakeReading(t)
	f.files = map[int]*fakeEvent{}
	if c, _, ok := fakeReading(t); !ok || c == b {
		t.Errorf("after all was closed: %t, %x and %x", ok, c, b)
	}
	b, _, _ = fakeReading(t)
	for _, e := range f.files {
		e.id += 50 // another event
	}
	if c, _, ok := fakeReading(t); !ok || c == b {
		t.Errorf("with another event in the place of ours: %t, %x and %x", ok, c, b)
	}

	// No more descriptors.
	f.thread = 9
	f.refuse = map[string]syscall.Errno{"branch_misses": syscall.EMFILE}
	open := len(f.files)
	for range 2 {
		if _, _, ok := fakeReading(t); ok || len(f.files) != open {
			t.Errorf("without descriptors: %t, %d are open, were %d", ok, len(f.files), open)
		}
	}
}

// The counters of dead threads are closed before there are too many.
func TestHWManyThreads(t *testing.T) {
	f := &fakePerf{}
	fake(t, f)
	hw.most = 200
	for i := uint32(10); i < 10_000; i++ {
		f.thread = i
		a, _, ok := fakeReading(t)
		b, _, ok2 := fakeReading(t)
		if !ok || !ok2 || a != b {
			t.Fatalf("thread %d: %t %t, %x %x", i, ok, ok2, a, b)
		}
		f.dead[i-5] = true
	}
	if n := len(f.files) / hw.n; n > 200 {
		t.Errorf("%d threads have counters", n)
	}
	for i := uint32(20_000); i < 21_000; i++ { // these are alive
		f.thread = i
		fakeReading(t)
	}
	if n := len(f.files) / hw.n; n > 200 {
		t.Errorf("%d threads have counters, at most 200 may", n)
	}
	f.thread = 20_990
	if _, _, ok := fakeReading(t); ok {
		t.Error("a thread for which there were no counters is read")
	}
}
