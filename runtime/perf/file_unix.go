//go:build !markgen_off && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

import (
	"runtime"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// dataFile is the file the pieces are mapped from. It stays open to grow, and
// locked (flock) so that others see this run is alive however it ends.
var dataFile openedFile

// From where a file's places are counted.
const (
	seekStart = 0 // SEEK_SET
	seekHere  = 1 // SEEK_CUR
)

// mostNames is how many names there are for one path.
const mostNames = 10000

// lastName is the path that the latest file was to have, and the number that was added; 1: none.
var lastName struct {
	path string
	n    int
}

type openedFile struct {
	fd       int
	dev, ino uint64
	size     int64
	path     string // absolute; "": it has no name
	at       int64  // where its descriptor stands, which nobody moves; 0: others have it, too
}

// stand puts the descriptor at a place of the file where no other is likely to
// stand, for ours.
//
//go:norace
func (f *openedFile) stand() {
	if at, err := syscall.Seek(f.fd, 1<<30|int64(now()&(1<<30-1)), seekStart); err == nil {
		f.at = at
	}
}

// ours says whether the descriptor is still the data file's. Programs that close
// all descriptors exist; the number may be another file's by now. Where the
// descriptor stands is the quicker question: who asks a file when it was last
// changed, as fstat does, has the system note the next change by itself, and tables
// are written by the hundred.
//
//go:norace
func (f *openedFile) ours() bool {
	if f.at != 0 {
		if at, err := syscall.Seek(f.fd, 0, seekHere); err == nil && at == f.at {
			return true
		}
	}
	var st syscall.Stat_t
	return syscall.Fstat(f.fd, &st) == nil && uint64(st.Dev) == f.dev && st.Ino == f.ino
}

// openFile gets the data file from the keeper, if MARKGEN names one and it
// answers, or creates it under the path, and maps its first piece.
func openFile(path string) (first unsafe.Pointer, trouble string) {
	if conf.Keeper != "" {
		if fd := fetch(conf.Keeper); fd >= 0 {
			return takeFile(fd)
		}
	}
	return createFile(path)
}

// takeFile makes an open file the data file and maps its first piece, or closes
// it.
func takeFile(fd int) (first unsafe.Pointer, trouble string) {
	fd = moveUp(fd)
	unlocked := flock(fd)
	for tries := 0; unlocked != nil && tries < 100; tries++ {
		runtime.Gosched() // a reader may be trying it
		unlocked = flock(fd)
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		trouble = err.Error()
	} else if unlocked != nil && conf.Spool != "" { // who empties the spool would take the process for gone
		trouble = "no file can be locked there: " + unlocked.Error()
	} else {
		dataFile = openedFile{fd: fd, dev: uint64(st.Dev), ino: st.Ino}
		first, trouble = growFile(firstPiece)
	}
	if first == nil {
		syscall.Close(fd)
	}
	return first, trouble
}

// createFile creates the data file, for its owner only, and maps its first
// piece. A name that is taken is tried again with .2, .3 … added, unless what is
// there is the data of a process that is gone: that is replaced. See replaceable.
func createFile(path string) (first unsafe.Pointer, trouble string) {
	var since uint64 // start of the live run that has the plain name
	for n, tries := 1, 0; n < mostNames && tries < 20000; tries++ {
		name := path
		if n > 1 {
			name = string(lite.AppendUint([]byte(path+"."), uint64(n)))
		}
		var st syscall.Stat_t
		fd, err := openFD(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, &st)
		if err == syscall.EEXIST {
			if special(name) {
				return nil, "not a file that can hold data"
			}
			if conf.Spool != "" || !replaceable(name, n, &since) {
				if what := foreign(name); n == 1 && what != "" {
					complain(`MARKGEN: key "file": ` + name + " is " + what + "; data go beside it, under the name with a number; give the name of a file that may be made")
				}
				if n++; n == 2 && path == lastName.path && lastName.n+1 < mostNames { // this process has had those before
					n = lastName.n + 1
				}
			}
			continue
		}
		if err != nil {
			return nil, err.Error()
		}
		if first, trouble = takeFile(fd); first == nil {
			syscall.Unlink(name)
		}
		lastName.path, lastName.n = path, n
		dataFile.path = absolute(name)
		if first != nil {
			dataFile.stand()
		}
		return first, trouble
	}
	return nil, "all names are taken"
}

// special says whether a device, a pipe or a socket has the name, or a link to one: /dev/null, say. No file belongs beside it.
func special(name string) bool {
	var st syscall.Stat_t
	if syscall.Stat(name, &st) != nil {
		return false
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFCHR, syscall.S_IFBLK, syscall.S_IFIFO, syscall.S_IFSOCK:
		return true
	}
	return false
}

// foreign says what has the name if that is not data of a run, nor a file that one may just have made; "": it is.
func foreign(name string) (what string) {
	var st syscall.Stat_t
	if syscall.Lstat(name, &st) != nil {
		return ""
	}
	switch st.Mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		return "a directory"
	case syscall.S_IFLNK:
		if syscall.Stat(name, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
			return "a directory"
		}
		return "a symbolic link"
	}
	fd, err := openFD(name, syscall.O_RDONLY|noFollow, &st)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	var head [len(layout.Magic)]byte
	if n, err := syscall.Read(fd, head[:]); err != nil || n < 1 || head[0] == 0 || string(head[:n]) == layout.Magic[:n] {
		return ""
	}
	return "another file, which is left as it is"
}

// replaceable removes what has the name if that is the data file of a run that
// is over, and says whether it did. A file that is not ours is never touched,
// nor one whose process lives and holds its lock, nor one that this very process
// began: the program that it was before it replaced itself (execve) had the same
// id and has closed its files. Among numbered names, a file begun after the live
// run that has the plain name belongs to a sibling of this process and is kept.
func replaceable(name string, n int, since *uint64) bool {
	var have, there syscall.Stat_t
	fd, err := openFD(name, syscall.O_RDONLY|noFollow, &have)
	if err != nil {
		return err == syscall.ENOENT
	}
	defer syscall.Close(fd)
	var head [layout.OffStartWall/8 + 1]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&head)), len(head)*8)
	if k, err := syscall.Read(fd, b); err != nil || k < len(b) || string(b[:len(layout.Magic)]) != layout.Magic {
		return false
	}
	begun := head[layout.OffStartWall/8]
	if err := flock(fd); err != nil || begun == 0 {
		if n == 1 {
			*since = begun
		}
		return false
	}
	if n > 1 && *since != 0 && begun >= *since {
		return false
	}
	if head[layout.OffPID/8] == uint64(syscall.Getpid()) && begun >= processStart() {
		return false
	}
	// Somebody else may have replaced it since it was opened.
	if syscall.Lstat(name, &there) != nil || have.Ino != there.Ino || have.Dev != there.Dev {
		return true
	}
	return syscall.Unlink(name) == nil
}

// flock takes the lock of an open file unless somebody has it.
func flock(fd int) error {
	for {
		if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err != syscall.EINTR {
			return err
		}
	}
}

// growFile makes the file size bytes longer and maps the new part. The space is
// there before it is mapped: a full disk shows here and not as SIGBUS when a
// cell is written. The caller holds the lock.
//
//go:norace
func growFile(size uintptr) (p unsafe.Pointer, trouble string) {
	f := &dataFile
	if !f.ours() {
		return nil, "its descriptor was closed by the program"
	}
	end := f.size + int64(size)
	// Writing beyond the limit would raise SIGXFSZ.
	var lim syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &lim); err != nil || uint64(lim.Cur) < uint64(end) {
		return nil, "the limit on file sizes (RLIMIT_FSIZE) is reached"
	}
	if err := reserve(f.fd, f.size, int64(size)); err != nil {
		syscall.Ftruncate(f.fd, f.size) // a full disk may have given all that it had left; what a keeper gave is sealed
		return nil, err.Error()
	}
	b, err := syscall.Mmap(f.fd, f.size, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err.Error()
	}
	f.size = end
	return unsafe.Pointer(unsafe.SliceData(b)), ""
}

// writeZeros reserves space where there is no call for it.
func writeZeros(fd int, off, size int64) error {
	zeros := make([]byte, 64<<10)
	for size > 0 {
		n, err := syscall.Pwrite(fd, zeros[:min(size, int64(len(zeros)))], off)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return err
		}
		if n <= 0 {
			return syscall.ENOSPC
		}
		ioWrote(n)
		off += int64(n)
		size -= int64(n)
	}
	return nil
}

// closeFile ends the file with checksums and gives back the space that was reserved and not used; what is mapped
// and handed out stays. The descriptor stays open for its lock.
func closeFile() (trouble string) {
	f := &dataFile
	if !space.open {
		return ""
	}
	if !f.ours() {
		return ""
	}
	f.seal()
	used := int64(*headerWord(layout.OffUsed))
	// What a keeper gave is sealed (EPERM): it cuts the file itself.
	if err := syscall.Ftruncate(f.fd, used); err != nil && err != syscall.EINTR && err != syscall.EPERM {
		return err.Error()
	}
	return ""
}

// dropFile removes a data file that is not to be, unless something else has its
// name by now.
func dropFile() {
	f := &dataFile
	var st syscall.Stat_t
	if f.path != "" && syscall.Lstat(f.path, &st) == nil && uint64(st.Dev) == f.dev && st.Ino == f.ino {
		syscall.Unlink(f.path)
	}
}

// mapMemory gives size bytes of zeroed memory outside the Go heap; nil when there
// is none.
func mapMemory(size uintptr) unsafe.Pointer {
	b, err := syscall.Mmap(-1, 0, int(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(b))
}

// releaseFile closes the data file, which is complete; what is mapped stays.
func releaseFile() {
	if dataFile.size > 0 && dataFile.ours() {
		syscall.Close(dataFile.fd)
	}
	dataFile = openedFile{}
}
