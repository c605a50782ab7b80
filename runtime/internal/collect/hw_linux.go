//go:build amd64 || arm64

package collect

import (
	"runtime"
	"syscall"
	"unsafe"
)

// The collector hw reads counters of the processor, and page faults, in user space only, as
// otherwise they would count the kernel's work for reading them. Counters belong to a thread. They
// are opened when a scope begins or ends on the thread for the first time, as one group, which is
// read in one call.
//
// A scope whose goroutine is on another thread at its end is dropped. If the goroutine has waited
// and returned to its thread, the scope is kept, and includes what other goroutines did there
// meanwhile.
type hwEvent struct {
	name         string
	kind, config uint64 // PERF_TYPE_HARDWARE or _SOFTWARE, PERF_COUNT_… of linux/perf_event.h
}

var hwEvents = [...]hwEvent{
	{"cycles", 0, 0},
	{"instructions", 0, 1},
	{"cache_misses", 0, 3},
	{"branch_misses", 0, 5},
	{"page_faults", 1, 2},
}

// hw is the state of the collector.
var hw struct {
	process *Process
	sys     *perfSystem
	n       int
	events  [len(hwEvents)]*hwEvent      // the n events that can be counted
	threads [hwBlocks]*[hwBlock]hwThread // by ID of a thread; nil where there is none yet
	used    int                          // threads with a serial; this and the fields below under the lock
	sweep   int                          // number of them at which dead threads are searched for
	most    int                          // maximum number of threads with counters
	serial  uint32                       // of the latest group
}

// An hwThread is the counters of a thread. Only the thread itself uses them without the lock.
type hwThread struct {
	serial  uint32 // serial number of its group; 0 if it has none, hwFailed if it could not be opened
	enabled uint64 // time enabled, ns, at the latest reading
	id      uint64 // ID of the first event
	fds     [len(hwEvents)]int32
}

const (
	hwBlock  = 1 << 11
	hwBlocks = 1 << 11 // IDs are below 1<<22 (PID_MAX_LIMIT of linux/threads.h)
	hwMost   = 1024
	hwFailed = 1<<32 - 1
)

// openHW returns the reader of hw, and what the machine does not support.
func openHW(p *Process) (r *Reader, missing []string) {
	if hw.n == 0 { // else it was opened by an earlier run
		missing = openEvents(&perfLinux, p)
	}
	if hw.n == 0 {
		return nil, missing
	}
	values := make([]string, hw.n)
	for i := range values {
		values[i] = hw.events[i].name
	}
	return &Reader{Name: "hw", Values: values, Read: readHW}, missing
}

// openEvents finds out which events can be counted. It returns which cannot, and why.
//
//go:norace
func openEvents(sys *perfSystem, p *Process) (missing []string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	hw.process, hw.sys, hw.n, hw.used, hw.serial = p, sys, 0, 0, 0
	names, why := "", "" // that are refused for the same reason
	for i := range hwEvents {
		hw.events[hw.n] = &hwEvents[i]
		hw.n++
		reason := tryGroup()
		if reason == "" {
			continue
		}
		hw.n--
		if reason == why {
			names += ", "
		} else {
			names, why = "", reason
			missing = append(missing, "")
		}
		names += hwEvents[i].name
		missing[len(missing)-1] = names + ": " + why
	}
	if hw.n == 0 {
		return missing
	}
	hw.most = hwMost
	var lim syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim) == nil && lim.Cur < uint64(4*hwMost*hw.n) {
		hw.most = int(lim.Cur) / (4 * hw.n) // leaves the rest to the program
	}
	hw.sweep = 64
	return missing
}

// tryGroup opens the events on this thread, reads them and closes them. It returns "", or why the
// last of them cannot be counted.
func tryGroup() (reason string) {
	var t hwThread
	if e := t.open(hw.sys.thread()); e != 0 {
		switch e {
		case syscall.ENOENT, syscall.ENODEV, syscall.EOPNOTSUPP, syscall.EINVAL:
			return "the machine has no such counter"
		case syscall.EACCES, syscall.EPERM:
			return "not permitted, see /proc/sys/kernel/perf_event_paranoid"
		case syscall.ENOSYS:
			return "the kernel has no perf_event_open"
		}
		return e.Error()
	}
	defer t.close()
	var a, b Scratch
	switch {
	case !t.read(&a) || !t.read(&b):
		return "it can be opened and not be read"
	case b[2] == 0:
		return "the machine does not count it, or not beside the others"
	case a[1] == b[1]:
		return "the kernel's clock is too coarse"
	}
	return ""
}

// open opens the group for a thread.
//
//go:norace
func (t *hwThread) open(thread uint32) (errno syscall.Errno) {
	for i := range hw.n {
		group := -1
		if i > 0 {
			group = int(t.fds[0])
		}
		fd, e := hw.sys.open(hw.events[i], thread, group)
		if e != 0 {
			t.closeFirst(i)
			return e
		}
		t.fds[i] = int32(fd)
	}
	if !hw.sys.id(int(t.fds[0]), &t.id) {
		t.close()
		return syscall.EBADF
	}
	return 0
}

func (t *hwThread) close() { t.closeFirst(hw.n) }

//go:norace
//go:noinline
func (t *hwThread) closeFirst(n int) {
	for _, fd := range t.fds[:n] {
		hw.sys.close(int(fd))
	}
}

// read reads the group: the number of values, its time enabled and time running in ns, and the
// values.
//
//go:norace
func (t *hwThread) read(to *Scratch) bool {
	return hw.sys.read(int(t.fds[0]), to, 3+hw.n) && to[0] == uint64(hw.n)
}

// readHW is Read of hw. where also differs between two readings if the group was not counted all
// the time in between, which happens when the kernel multiplexes the counters with other users.
//
// If the program has closed a descriptor, its number may belong to another file by now, which must
// not be read: so the ID of the event is compared first. If the thread's ID is that of an earlier
// thread, which is gone, the counters and the time enabled are still those of the earlier one and
// do not change, whereas a running thread's time enabled always grows.
//
//go:norace
func readHW(scratch *Scratch, into []uint64) (where uint64, ok bool) {
	f := ioFile
	for range 2 {
		f.pin()
		thread := hw.sys.thread()
		t := threadOf(thread)
		serial, ours := uint32(0), false
		if t != nil {
			serial = t.serial
		}
		if serial == hwFailed {
			f.unpin()
			return 0, false
		}
		if serial != 0 {
			ours = hw.sys.id(int(t.fds[0]), &scratch[0]) && scratch[0] == t.id
			read := ours && t.read(scratch)
			if read {
				f.leaveOut(8 * (3 + hw.n))
			}
			if read && scratch[1] != t.enabled {
				t.enabled = scratch[1]
				copy(into, scratch[3:3+hw.n])
				f.unpin()
				const bits = 44 // 4 hours in ns
				return uint64(serial)<<bits | (scratch[1]-scratch[2])&(1<<bits-1), true
			}
		}
		f.unpin()
		openThread(thread, serial, ours)
	}
	return 0, false
}

// threadOf returns the counters of a thread, or nil if there is no block for it.
//
//go:norace
func threadOf(thread uint32) *hwThread {
	if thread/hwBlock < hwBlocks {
		if b := hw.threads[thread/hwBlock]; b != nil {
			return &b[thread%hwBlock]
		}
	}
	return nil
}

// openThread opens counters for the thread, replacing those with that serial number if it is not 0;
// ours says whether the replaced ones are to be closed.
//
//go:norace
//go:noinline
func openThread(thread, serial uint32, ours bool) {
	hw.process.Lock()
	defer hw.process.Unlock()
	if k := thread / hwBlock; k < hwBlocks && hw.threads[k] == nil {
		hw.threads[k] = (*[hwBlock]hwThread)(hw.process.Memory(unsafe.Sizeof(*hw.threads[k])))
	}
	t := threadOf(thread)
	switch {
	case t == nil || t.serial != serial:
		return // there is no memory, or another call has opened them
	case ours:
		t.close()
	case serial == 0:
		if hw.used >= hw.sweep {
			sweepThreads()
		}
		if hw.used >= hw.most {
			return
		}
		hw.used++
	}
	t.serial, t.enabled = hwFailed, 0
	if t.open(thread) == 0 {
		hw.serial++
		t.serial = hw.serial
	}
}

// sweepThreads closes the counters of threads that are gone, and sets when to do that again. The caller
// holds the lock.
//
//go:norace
func sweepThreads() {
	for k := range hw.threads {
		b := hw.threads[k]
		for i := 0; b != nil && i < hwBlock; i++ {
			t := &b[i]
			if t.serial == 0 || hw.sys.lives(uint32(k*hwBlock+i)) {
				continue
			}
			if t.serial != hwFailed {
				t.close()
			}
			t.serial = 0
			hw.used--
		}
	}
	hw.sweep = max(64, hw.used+hw.used/2)
}
