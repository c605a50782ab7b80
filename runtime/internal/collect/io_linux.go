package collect

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/datafile"
)

// The collector io reads the kernel's counters of all threads of the process from /proc/self/io
// (proc_pid_io(5)). They include earlier reads of that file, the reads of hw, and writes passed to
// Wrote: all of these are subtracted. The result is exact, since one goroutine at a time reads.
type ioCounters struct {
	locked     uint32
	fd         int32
	reads      uint64 // by Read functions so far; likewise readBytes
	readBytes  uint64
	writes     uint64 // see Wrote; atomic
	writeBytes uint64
}

// ioFile is nil unless io is open. It is outside the memory that the race detector watches, so that
// it orders no goroutines.
var ioFile *ioCounters

// ioValues are in the order of the lines of the file, whose names are rchar, wchar, syscr, syscw,
// read_bytes and write_bytes.
var ioValues = []string{"read_bytes", "write_bytes", "read_ops", "write_ops", "disk_read_bytes", "disk_write_bytes"}

// openIO returns the reader of io.
func openIO(p *Process) (r *Reader, missing []string) {
	if ioFile == nil { // else it was opened by an earlier run
		const path = "/proc/self/io"
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err != nil {
			return nil, []string{path + ": " + err.Error()}
		}
		p.Lock()
		f := (*ioCounters)(p.Memory(unsafe.Sizeof(ioCounters{})))
		p.Unlock()
		if f == nil {
			syscall.Close(fd)
			return nil, []string{"there is no memory"}
		}
		f.fd = int32(datafile.MoveUp(fd))
		ioFile = f
		if _, ok := readIO(new(Scratch), make([]uint64, len(ioValues))); !ok {
			return nil, []string{path + " does not have what Linux says there"}
		}
	}
	return &Reader{Name: "io", Values: ioValues, Read: readIO}, nil
}

// readIO is Read of io. A program may have closed the descriptor and opened another file under its
// number: unexpected text is not used, and reading at an offset does not change that file's
// position.
//
//go:norace
//go:nocheckptr
func readIO(scratch *Scratch, into []uint64) (where uint64, ok bool) {
	f := ioFile
	f.pin()
	n, _, e := syscall.RawSyscall6(syscall.SYS_PREAD64, uintptr(f.fd), uintptr(unsafe.Pointer(scratch)), unsafe.Sizeof(*scratch), 0, 0, 0)
	if e == 0 {
		ok = parseIO(unsafe.Slice((*byte)(unsafe.Pointer(scratch)), n), into)
	}
	if ok {
		into[0] -= f.readBytes
		into[1] -= atomic.LoadUint64(&f.writeBytes)
		into[2] -= f.reads
		into[3] -= atomic.LoadUint64(&f.writes)
		f.leaveOut(int(n))
	}
	f.unpin()
	return 0, ok
}

// pin forbids preemption, and reading by other goroutines. It waits only briefly.
//
//go:norace
func (f *ioCounters) pin() {
	for procPin(); f != nil && !atomic.CompareAndSwapUint32(&f.locked, 0, 1); procPin() {
		procUnpin()
		runtime.Gosched()
	}
}

//go:norace
func (f *ioCounters) unpin() {
	if f != nil {
		atomic.StoreUint32(&f.locked, 0)
	}
	procUnpin()
}

// leaveOut subtracts n bytes, read in one call, from the counters of io. The caller has pinned f.
//
//go:norace
func (f *ioCounters) leaveOut(n int) {
	if f != nil {
		f.reads++
		f.readBytes += uint64(n)
	}
}

// parseIO parses the numbers of the first lines, "NAME: NUMBER".
//
//go:norace
func parseIO(text []byte, into []uint64) bool {
	const first = "rchar: "
	if len(text) < len(first) || string(text[:len(first)]) != first {
		return false
	}
	i := 0
	for k := range into {
		for i < len(text) && text[i] != ' ' {
			i++
		}
		v := uint64(0)
		for i++; i < len(text) && text[i] != '\n'; i++ {
			d := text[i] - '0'
			if d > 9 {
				return false
			}
			v = v*10 + uint64(d)
		}
		if i >= len(text) {
			return false
		}
		into[k] = v
	}
	return true
}

// Wrote subtracts n bytes from the counters of io, which markgen has written in one call, not the
// program. A negative n is ignored.
func Wrote(n int) {
	if f := ioFile; f != nil && n >= 0 {
		atomic.AddUint64(&f.writes, 1)
		atomic.AddUint64(&f.writeBytes, uint64(n))
	}
}
