//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package datafile

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// maxNames is the number of names tried for one path.
const maxNames = 10000

// create creates the file under the path, or with a number added, and maps its first piece.
func (f *File) create(path string, size uintptr) (first []byte, taken, problem string) {
	var since uint64 // start of the live run that has the plain name
	for n, tries := 1, 0; n < maxNames && tries < 20000; tries++ {
		name := path
		if n > 1 {
			name = path + "." + lite.Uint(uint64(n))
		}
		var st syscall.Stat_t
		fd, e := OpenFD(name, syscall.O_RDWR|syscall.O_CREAT|syscall.O_EXCL, &st)
		if e == syscall.EEXIST {
			data, special := occupant(name)
			if special {
				return nil, taken, "not a file that can hold data"
			}
			if f.dir != "" || !replaceable(name, n, &since) {
				if n == 1 && !data {
					taken = name + " exists and is not the data of a run"
				}
				// The latest Open of this process has tried the numbers before
				if n++; n == 2 && path == f.wanted && f.number+1 < maxNames {
					n = f.number + 1
				}
			}
			continue
		}
		if e != 0 {
			return nil, taken, e.Error()
		}
		first, problem = f.take(fd, size)
		f.wanted, f.number = path, n
		if first == nil {
			syscall.Unlink(name)
		} else {
			f.path = Absolute(name)
			f.stand()
		}
		return first, taken, problem
	}
	return nil, taken, "all names are taken"
}

// occupant looks at the file of that name: whether it is a run's data, or a file that a run may just
// have created, and whether it is special, so that no file should be created beside it: a device, a
// pipe or a socket, or a link to one (/dev/null, say).
func occupant(name string) (data, special bool) {
	var st syscall.Stat_t
	if syscall.Stat(name, &st) == nil {
		switch st.Mode & syscall.S_IFMT {
		case syscall.S_IFCHR, syscall.S_IFBLK, syscall.S_IFIFO, syscall.S_IFSOCK:
			return false, true
		}
	}
	if syscall.Lstat(name, &st) != nil || !isKind(&st, syscall.S_IFREG) {
		return false, false
	}
	var head [len(layout.Magic)]byte
	n := readHead(name, noFollow, head[:])
	return n == 0 || head[0] == 0 || string(head[:n]) == layout.Magic[:n], false
}

// replaceable removes the file of that name if it is the data file of a run that has ended, and
// reports whether to try the name again. It never removes a file of another kind, nor one whose
// process is alive and has it locked, nor one that this very process began: a program that replaced
// itself (execve) kept its ID, and closed its files. Among numbered names, a file begun after the
// live run that has the plain name belongs to a sibling of this process and is kept.
func replaceable(name string, n int, since *uint64) bool {
	var have, there syscall.Stat_t
	fd, e := OpenFD(name, syscall.O_RDONLY|noFollow, &have)
	if e != 0 {
		return e == syscall.ENOENT
	}
	defer syscall.Close(fd)
	var head [layout.OffStartWall/8 + 1]uint64
	b := unsafe.Slice((*byte)(unsafe.Pointer(&head)), len(head)*8)
	if k, err := syscall.Read(fd, b); err != nil || k < len(b) || string(b[:len(layout.Magic)]) != layout.Magic {
		return false
	}
	begun := head[layout.OffStartWall/8]
	if flock(fd) != 0 || begun == 0 {
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
	// Another process may have replaced it since it was opened.
	if syscall.Lstat(name, &there) != nil || have.Ino != there.Ino || have.Dev != there.Dev {
		return true
	}
	return syscall.Unlink(name) == nil
}
