//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package wild

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A Permit lets a process collect: it has locked one of MaxProcesses files in a directory of the
// user. The lock ends with the process, however that ends. The zero Permit has no lock.
type Permit struct{ file datafile.File }

// Acquire locks a file. It returns layout.WildPicked, or another of layout.Wild…, the reason why it
// cannot.
func (p *Permit) Acquire() (refused uint64) {
	temp, ok := syscall.Getenv("TMPDIR")
	if !ok || temp == "" {
		temp = "/tmp"
	}
	uid := uint32(syscall.Geteuid())
	dir := temp + "/markgen-wild-" + lite.Uint(uint64(uid))
	syscall.Mkdir(dir, 0o700)
	// In a world-writable directory, dir may belong to another user, or be a link.
	var st syscall.Stat_t
	if syscall.Lstat(dir, &st) != nil || st.Mode&syscall.S_IFMT != syscall.S_IFDIR || st.Uid != uid || st.Mode&0o022 != 0 {
		return layout.WildNoPlace
	}
	for n := uint64(1); n <= MaxProcesses; n++ {
		switch p.file.OpenLocked(dir + "/" + lite.Uint(n)) {
		case 0:
			return layout.WildPicked
		case syscall.EWOULDBLOCK:
		default:
			return layout.WildNoPlace
		}
	}
	return layout.WildFull
}

// Release unlocks the file, if one is locked, unless the program has closed its descriptor.
func (p *Permit) Release() { p.file.Close() }
