//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

import (
	"runtime"
	"syscall"
	"unsafe" // also for go:linkname

	"github.com/markgen/markgen/runtime/layout"
)

// A File is a data file that is mapped in pieces, which Open and Grow return. It stays open to
// grow, and locked (flock) so that other processes see that the run is alive, however it ends. The
// zero File is closed. One goroutine at a time may use it.
type File struct {
	_        [0]func() // not comparable: == would add code
	open     bool
	fd       int
	at       int64 // offset of the descriptor, which nothing moves; 0 if other processes have the descriptor, too
	dev, ino uint64
	size     int64  // of the mapped part
	path     string // absolute; "" if it has no name
	wanted   string // path of the latest Open
	number   int    // suffix that was added to wanted; 1 if none
	dir      string // the spool that it is in; "" if none
	made     int    // number of directories that were created for the spool
}

// opened initialises f with an open file.
//
//go:norace
func (f *File) opened(fd int, st *syscall.Stat_t) {
	f.open, f.fd, f.at, f.dev, f.ino, f.size, f.path = true, fd, 0, uint64(st.Dev), st.Ino, 0, ""
}

// stand moves the descriptor to an offset that no other file's descriptor is likely to have;
// ours compares it.
//
//go:norace
func (f *File) stand() {
	if at, err := syscall.Seek(f.fd, 1<<30|nanotime()&(1<<30-1), 0); err == nil { // SEEK_SET
		f.at = at
	}
}

// ours reports whether the descriptor is still the file's. Some programs close all descriptors, and
// the number may belong to another file by now. Comparing the offset is cheaper than fstat: reading
// a file's modification time, as fstat does, makes the kernel update it at the next write, and
// tables are written by the hundred.
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
// for its owner only, and maps its first piece, size bytes. It returns nil if it cannot. If the
// name exists, Open tries it with .2, .3 … added, unless the file has the data of a process that is
// gone, and so can be replaced (replaceable). taken says that something else than a run's data has the
// wanted name, "" if nothing has.
func (f *File) Open(path string, size uintptr, o Options) (first []byte, taken, problem string) {
	if f.dir, f.made = o.Spool, 0; f.dir != "" {
		if f.made, problem = enterSpool(f.dir, o.Room); problem != "" {
			return nil, "", problem
		}
	}
	fd := -1
	if o.Keeper != "" {
		fd = fetch(o.Keeper)
	}
	if fd >= 0 {
		first, problem = f.take(fd, size)
	} else {
		first, taken, problem = f.create(path, size)
	}
	if first == nil && f.dir != "" {
		problem = "cannot be " + f.dir + ": " + problem
	}
	return first, taken, problem
}

// take initialises f with an open file and maps its first piece, or closes it.
func (f *File) take(fd int, size uintptr) (first []byte, problem string) {
	fd = MoveUp(fd)
	unlocked := flock(fd)
	for tries := 0; unlocked != 0 && tries < 100; tries++ {
		runtime.Gosched() // a reader may be testing the lock
		unlocked = flock(fd)
	}
	var st syscall.Stat_t
	if e := errno(syscall.Fstat(fd, &st)); e != 0 {
		problem = e.Error()
	} else if unlocked != 0 && f.dir != "" { // markgen push would consider the process gone
		problem = "no file can be locked there: " + unlocked.Error()
	} else {
		f.opened(fd, &st)
		first, problem = f.Grow(size)
	}
	if first == nil {
		syscall.Close(fd)
		f.open = false
	}
	return first, problem
}

// flock locks an open file, unless another process has the lock.
//
//go:noinline
func flock(fd int) syscall.Errno {
	return again(func() error { return syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) })
}

// OpenLocked initialises f with a file, which it creates if necessary and locks until it is closed. The
// error is EWOULDBLOCK if the file is locked already, and 0 if there is none.
func (f *File) OpenLocked(path string) (e syscall.Errno) {
	var st syscall.Stat_t
	fd, e := OpenFD(path, syscall.O_RDWR|syscall.O_CREAT|noFollow, &st)
	if e != 0 {
		return e
	}
	if e = flock(fd); e != 0 {
		syscall.Close(fd)
		return e
	}
	f.opened(MoveUp(fd), &st)
	return 0
}

// Grow makes the file size bytes longer and maps the new part, or returns nil if it cannot. The
// space is reserved before it is mapped: a full disk gives an error here instead of SIGBUS when a
// cell is written.
//
//go:norace
func (f *File) Grow(size uintptr) (piece []byte, problem string) {
	if !f.ours() {
		return nil, "its descriptor was closed by the program"
	}
	end := f.size + int64(size)
	if problem = f.reserve(end); problem != "" {
		return nil, problem
	}
	piece, e := mapping(f.fd, f.size, size, syscall.MAP_SHARED)
	if e != 0 {
		return nil, e.Error()
	}
	f.size = end
	return piece, ""
}

// reserve makes the file system reserve space up to end.
//
//go:norace
func (f *File) reserve(end int64) (problem string) {
	// Writing beyond the limit would raise SIGXFSZ.
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil || uint64(lim.Cur) < uint64(end) {
		return "the limit on file sizes (RLIMIT_FSIZE) is reached"
	}
	if e := reserve(f.fd, f.size, end-f.size); e != 0 {
		// A full disk may have extended it as far as it could; a keeper's file is sealed
		syscall.Ftruncate(f.fd, f.size)
		return e.Error()
	}
	return ""
}

// writeZeros reserves space on systems without a call for it.
func writeZeros(fd int, off, size int64) syscall.Errno {
	zeros := make([]byte, 64<<10)
	for size > 0 {
		n, err := syscall.Pwrite(fd, zeros[:min(size, int64(len(zeros)))], off)
		switch e := errno(err); {
		case e == syscall.EINTR:
		case e != 0:
			return e
		case n <= 0:
			return syscall.ENOSPC
		default:
			OnWrite(n)
			off += int64(n)
			size -= int64(n)
		}
	}
	return 0
}

// Complete ends the file with checksums, on Linux, and releases the space after OffUsed in the
// header. pieces are all results of Open and Grow. They stay mapped, but if the file has checksums,
// later writes are not in the file. alone says that nothing else of the file is mapped in this
// process; without it there are no checksums.
//
//go:norace
func (f *File) Complete(pieces [][]byte, alone bool) (problem string) {
	if !f.ours() {
		return ""
	}
	if alone {
		f.addSums(pieces)
	}
	// A keeper's file is sealed (EPERM): the keeper truncates it itself.
	e := errno(syscall.Ftruncate(f.fd, int64(*word(pieces[0], layout.OffUsed))))
	if e != 0 && e != syscall.EINTR && e != syscall.EPERM {
		return e.Error()
	}
	return ""
}

// Remove removes a file that is not wanted, unless another file has its name by now, and the
// directories that were created for it, if they are empty.
func (f *File) Remove() {
	var st syscall.Stat_t
	if f.open && f.path != "" && syscall.Lstat(f.path, &st) == nil && uint64(st.Dev) == f.dev && st.Ino == f.ino {
		syscall.Unlink(f.path)
	}
	for ; f.made > 0 && syscall.Rmdir(f.dir) == nil; f.made-- {
		f.dir = above(f.dir)
	}
}

// Close closes the file. It stays mapped, and locked as long as it is mapped.
func (f *File) Close() {
	if f.ours() {
		syscall.Close(f.fd)
	}
	f.open = false
}

// Map returns size bytes of zeroed memory outside the Go heap, or nil if there is none.
func Map(size uintptr) unsafe.Pointer {
	b, _ := mapping(-1, 0, size, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	return unsafe.Pointer(unsafe.SliceData(b))
}

// mapping maps size bytes of a file, or of memory, with the flags.
//
//go:norace
//go:nocheckptr
//go:noinline
func mapping(fd int, at int64, size uintptr, flags int) (b []byte, e syscall.Errno) {
	p, err := mmap(0, size, syscall.PROT_READ|syscall.PROT_WRITE, flags, fd, at)
	if err != nil {
		return nil, errno(err)
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size), 0
}

// mmap is mmap(2). syscall.Mmap would add 4 KB to a program, for a list of mappings that Munmap
// uses. Modules may link to it, see syscall/linkname_unix.go.
//
//go:linkname mmap syscall.mmap
func mmap(addr, length uintptr, prot, flags, fd int, pos int64) (p uintptr, err error)
