//go:build !markgen_off && (linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package perf

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// mostWild is how many processes of one user collect by collect=wild at once.
const mostWild = 6

// held is the lock file that this process holds, one of mostWild in a directory of
// the user's; the lock goes with the process, however it ends.
var held openedFile

// takePlace takes one, or says why there is none.
func takePlace() (refused uint64) {
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
	for n := uint64(1); n <= mostWild; n++ {
		fd, err := openFD(string(lite.AppendUint([]byte(dir+"/"), n)), syscall.O_RDWR|syscall.O_CREAT|noFollow, &st)
		if err != nil {
			return layout.WildNoPlace
		}
		err = flock(fd)
		if err == nil {
			fd = moveUp(fd)
			held = openedFile{fd: fd, dev: uint64(st.Dev), ino: st.Ino, size: 1}
			return layout.WildPicked
		}
		syscall.Close(fd)
		if err != syscall.EWOULDBLOCK {
			return layout.WildNoPlace
		}
	}
	return layout.WildFull
}

// leavePlace gives it to others.
func leavePlace() {
	if held.size > 0 && held.ours() {
		syscall.Close(held.fd)
	}
	held = openedFile{}
}
