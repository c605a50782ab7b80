//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wild

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A Permit lets a process collect: it has locked one of MostProcesses files in a directory of the user's.
// The lock goes with the process, however that ends. The zero Permit has none.
type Permit struct {
	held     bool
	fd       int
	dev, ino uint64
}

// Acquire locks a file, or gives the reason why it cannot: one of layout.Wild…. open opens a file and tells
// what was opened, lock takes the lock of one unless somebody has it, and moveUp gives a descriptor a number
// that the program does not expect to have.
func (p *Permit) Acquire(open func(name string, flags int, st *syscall.Stat_t) (fd int, err error), lock func(fd int) error, moveUp func(fd int) int) (refused uint64) {
	temp, ok := syscall.Getenv("TMPDIR")
	if !ok || temp == "" {
		temp = "/tmp"
	}
	uid := uint32(syscall.Geteuid())
	dir := string(lite.AppendUint([]byte(temp+"/markgen-wild-"), uint64(uid)))
	syscall.Mkdir(dir, 0o700)
	// Where everybody may make directories, it may be another's, or a link to one.
	var st syscall.Stat_t
	if syscall.Lstat(dir, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFDIR || st.Uid != uid || st.Mode&0o022 != 0 {
		return layout.WildNoPlace
	}
	for n := uint64(1); n <= MostProcesses; n++ {
		fd, err := open(string(lite.AppendUint([]byte(dir+"/"), n)), syscall.O_RDWR|syscall.O_CREAT|syscall.O_NOFOLLOW, &st)
		if err != nil {
			return layout.WildNoPlace
		}
		if err = lock(fd); err == nil {
			*p = Permit{true, moveUp(fd), uint64(st.Dev), st.Ino}
			return layout.WildPicked
		}
		syscall.Close(fd)
		if err != syscall.EWOULDBLOCK {
			return layout.WildNoPlace
		}
	}
	return layout.WildFull
}

// Release unlocks the file, if there is one, unless the program has closed it.
func (p *Permit) Release() {
	var st syscall.Stat_t
	if p.held && syscall.Fstat(p.fd, &st) == nil && uint64(st.Dev) == p.dev && st.Ino == p.ino {
		syscall.Close(p.fd)
	}
	*p = Permit{}
}
