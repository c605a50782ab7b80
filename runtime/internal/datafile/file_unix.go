//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/layout"
)

// A File is a data file that is mapped piece by piece, as Open and Grow give it. It stays open to
// grow, and locked (flock) so that others see that the run is alive however it ends. The zero File
// is closed. One goroutine at a time may use it.
type File struct {
	open     bool
	fd       int
	at       int64 // where the descriptor stands, which nobody moves; 0: others have it, too
	dev, ino uint64
	size     int64  // of what is mapped
	path     string // absolute; "": it has no name
	wanted   string // the path that the latest Open had
	number   int    // what was added to that; 1: nothing
	dir      string // the spool that it is in; "": none
	made     int    // so many directories were made for that
}

// opened makes an open file this one.
//
//go:norace
func (f *File) opened(fd int, st *syscall.Stat_t) {
	f.open, f.fd, f.at, f.dev, f.ino, f.size, f.path = true, fd, 0, uint64(st.Dev), st.Ino, 0, ""
}

// stand puts the descriptor at a place of the file where no other is likely to stand, for ours.
//
//go:norace
func (f *File) stand() {
	if at, err := syscall.Seek(f.fd, 1<<30|nanotime()&(1<<30-1), 0); err == nil { // SEEK_SET
		f.at = at
	}
}

// ours says whether the descriptor is still the file's. Programs that close all descriptors exist;
// the number may be another file's by now. Where the descriptor stands is the quicker question: who
// asks a file when it was last changed, as fstat does, has the system note the next change by
// itself, and tables are written by the hundred.
//
//go:norace
func (f *File) ours() bool {
	if f.open && f.at != 0 {
		if at, err := syscall.Seek(f.fd, 0, 1); err == nil && at == f.at { // SEEK_CUR
			return true
		}
	}
	var st syscall.Stat_t
	return f.open && syscall.Fstat(f.fd, &st) == nil && uint64(st.Dev) == f.dev && st.Ino == f.ino
}

// Open gets the file from the keeper, if there is one and it answers, or creates it under the path,
// for its owner only, and maps its first piece, size bytes; nil: it could not. A name that is taken
// is tried again with .2, .3 … added, unless what is there is the data of a process that is gone:
// that is replaced (replaceable). taken says what has the name that was wanted, "" if that is data
// of a run.
func (f *File) Open(path string, size uintptr, o Options) (first []byte, taken, trouble string) {
	if f.dir, f.made = o.Spool, 0; f.dir != "" {
		if f.made, trouble = enterSpool(f.dir, o.Room); trouble != "" {
			return nil, "", trouble
		}
	}
	fd := -1
	if o.Keeper != "" {
		fd = fetch(o.Keeper)
	}
	if fd >= 0 {
		first, trouble = f.take(fd, size)
	} else {
		first, taken, trouble = f.create(path, size)
	}
	if first == nil && f.dir != "" {
		trouble = "cannot be " + f.dir + ": " + trouble
	}
	return first, taken, trouble
}

// take makes an open file this one and maps its first piece, or closes it.
func (f *File) take(fd int, size uintptr) (first []byte, trouble string) {
	fd = MoveUp(fd)
	unlocked := flock(fd)
	for tries := 0; unlocked != nil && tries < 100; tries++ {
		runtime.Gosched() // a reader may be trying it
		unlocked = flock(fd)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		trouble = err.Error()
	} else if unlocked != nil && f.dir != "" { // who empties the spool would take the process for gone
		trouble = "no file can be locked there: " + unlocked.Error()
	} else {
		f.opened(fd, &st)
		first, trouble = f.Grow(size)
	}
	if first == nil {
		syscall.Close(fd)
		f.open = false
	}
	return first, trouble
}

// flock takes the lock of an open file unless somebody has it.
func flock(fd int) error {
	return again(func() error { return syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) })
}

// OpenLocked opens a file, or makes it, and locks it, until it is closed. The error is EWOULDBLOCK
// where somebody else has the lock.
func OpenLocked(path string) (f File, err error) {
	var st syscall.Stat_t
	fd, err := OpenFD(path, syscall.O_RDWR|syscall.O_CREAT|noFollow, &st)
	if err != nil {
		return f, err
	}
	if err = flock(fd); err != nil {
		syscall.Close(fd)
		return f, err
	}
	f.opened(MoveUp(fd), &st)
	return f, nil
}

// Grow makes the file size bytes longer and maps the new part; nil: it could not. The space is
// there before it is mapped: a full disk shows here and not as SIGBUS when a cell is written.
//
//go:norace
func (f *File) Grow(size uintptr) (piece []byte, trouble string) {
	if !f.ours() {
		return nil, "its descriptor was closed by the program"
	}
	end := f.size + int64(size)
	if trouble = f.reserve(end); trouble != "" {
		return nil, trouble
	}
	piece, err := syscall.Mmap(f.fd, f.size, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err.Error()
	}
	f.size = end
	return piece, ""
}

// reserve has the file system set space aside up to end.
//
//go:norace
func (f *File) reserve(end int64) (trouble string) {
	// Writing beyond the limit would raise SIGXFSZ.
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil || uint64(lim.Cur) < uint64(end) {
		return "the limit on file sizes (RLIMIT_FSIZE) is reached"
	}
	if err := reserve(f.fd, f.size, end-f.size); err != nil {
		syscall.Ftruncate(f.fd, f.size) // a full disk may have given all that it had left; what a keeper gave is sealed
		return err.Error()
	}
	return ""
}

// writeZeros reserves space where there is no call for it.
func writeZeros(fd int, off, size int64) error {
	zeros := make([]byte, 64<<10)
	for size > 0 {
		n, err := syscall.Pwrite(fd, zeros[:min(size, int64(len(zeros)))], off)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return err
		case n <= 0:
			return syscall.ENOSPC
		default:
			OnWrite(n)
			off += int64(n)
			size -= int64(n)
		}
	}
	return nil
}

// Complete ends the file with checksums, on Linux, and gives back the space that was reserved and
// not used, which OffUsed in the header tells. pieces are what Open and Grow gave; all of it stays
// mapped, though what is written there later is not in the file where it has checksums. alone says
// that nothing else of the file is mapped in this process, without which there are none.
//
//go:norace
func (f *File) Complete(pieces [][]byte, alone bool) (trouble string) {
	if !f.ours() {
		return ""
	}
	if alone {
		f.addSums(pieces)
	}
	// What a keeper gave is sealed (EPERM): it cuts the file itself.
	if err := syscall.Ftruncate(f.fd, int64(*word(pieces[0], layout.OffUsed))); err != nil && err != syscall.EINTR && err != syscall.EPERM {
		return err.Error()
	}
	return ""
}

// Remove removes a file that is not to be, unless something else has its name by now, and the
// directories that were made for it, as far as they have nothing else.
func (f *File) Remove() {
	var st syscall.Stat_t
	if f.open && f.path != "" && syscall.Lstat(f.path, &st) == nil && uint64(st.Dev) == f.dev && st.Ino == f.ino {
		syscall.Unlink(f.path)
	}
	for ; f.made > 0 && syscall.Rmdir(f.dir) == nil; f.made-- {
		f.dir = above(f.dir)
	}
}

// Close closes the file. What is mapped of it stays, and so does the lock as long as anything is.
func (f *File) Close() {
	if f.ours() {
		syscall.Close(f.fd)
	}
	f.open = false
}

// Map gives size bytes of zeroed memory outside the Go heap; nil when there is none.
func Map(size uintptr) unsafe.Pointer {
	b, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}
