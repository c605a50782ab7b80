//go:build !markgen_off

package perf

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
)

// reserve has the file system set the space aside, or writes it where it cannot.
func reserve(fd int, off, size int64) error {
	for {
		switch err := syscall.Fallocate(fd, 0, off, size); err {
		case syscall.EINTR:
		case syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL:
			return writeZeros(fd, off, size)
		default:
			return err
		}
	}
}

// moveUp gives the descriptor a higher number, so that the first files of the
// program have the numbers they would have without us. The kernel's table has
// room for 64 to begin with; making it larger takes some 10 ms in a process with
// threads. Where the limit on descriptors is lower still, it is the last one.
func moveUp(fd int) int {
	lowest := uint64(60)
	var lim syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &lim) == nil && lim.Cur > 0 {
		lowest = min(lowest, uint64(lim.Cur)-1)
	}
	n, _, e := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_DUPFD_CLOEXEC, uintptr(lowest))
	if e != 0 {
		return fd
	}
	syscall.Close(fd)
	return int(n)
}

// fillFile writes parts, not more than one write takes (mostTables), one behind the other to the data file, off bytes into its latest piece, which is
// size bytes long. What is mapped there shows them at once. false: it could not. The caller holds the lock.
//
//go:norace
func fillFile(off, size uintptr, parts []string) bool {
	f := &dataFile
	if !f.ours() {
		return false
	}
	at := uint64(f.size) - uint64(size) + uint64(off)
	vector := make([]syscall.Iovec, len(parts))
	all := uintptr(0)
	for i, p := range parts {
		vector[i].Base = unsafe.StringData(p)
		vector[i].SetLen(len(p))
		all += uintptr(len(p))
	}
	for {
		n, _, e := syscall.Syscall6(syscall.SYS_PWRITEV, uintptr(f.fd), uintptr(unsafe.Pointer(&vector[0])), uintptr(len(vector)),
			uintptr(at), uintptr(at>>32), 0)
		if e != syscall.EINTR {
			if e == 0 {
				ioWrote(int(n))
			}
			return e == 0 && n == all
		}
	}
}

// keeperPatience is how long a keeper may take to answer, s. It may be stopped,
// by a debugger say, and the program should not wait for that.
const keeperPatience = 2

// fetch asks a keeper for a data file: memory that nobody can open by a name or cut
// off, and that the keeper has when this process is gone. -1: there is none to be
// had, as when the keeper is gone itself.
//
// key is NAME.SECRET: the abstract name of the keeper's socket, and what the two ends
// show each other, half each. Anybody can connect, and have the name when the keeper is gone.
func fetch(key string) int {
	name, secret := lite.Cut(key, '.')
	half := len(secret) / 2
	if half == 0 {
		return -1
	}
	s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	defer syscall.Close(s)
	limit := syscall.Timeval{Sec: keeperPatience}
	syscall.SetsockoptTimeval(s, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit) // connecting counts as sending
	syscall.SetsockoptTimeval(s, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit)
	for {
		if err = syscall.Connect(s, &syscall.SockaddrUnix{Name: "@" + name}); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return -1
	}
	if _, err := syscall.SendmsgN(s, []byte(secret[:half]), nil, nil, syscall.MSG_NOSIGNAL); err != nil {
		return -1
	}
	answer := make([]byte, half)
	var rights [64]byte
	n, size := 0, 0
	for {
		if n, size, _, _, err = syscall.Recvmsg(s, answer, rights[:], syscall.MSG_CMSG_CLOEXEC); err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		return -1
	}
	messages, err := syscall.ParseSocketControlMessage(rights[:size])
	if err != nil || len(messages) == 0 {
		return -1
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) == 0 {
		return -1
	}
	mine := fds[0]
	if n != half || string(answer) != secret[half:] {
		mine = -1
	}
	for _, fd := range fds {
		if fd != mine {
			syscall.Close(fd)
		}
	}
	return mine
}

// processStart is when this process began, ns since the Unix epoch, to a few
// hundredths of a second and never later; 0 when it cannot be told. A program
// that replaced another one (execve) began when that one did.
func processStart() uint64 {
	const (
		bootTime = 7   // CLOCK_BOOTTIME of linux/time.h
		perTick  = 1e7 // ns: USER_HZ is 100 wherever Go runs
		field    = 22  // starttime, see proc_pid_stat(5)
	)
	var b [1024]byte
	stat := string(b[:platform.ReadFile("/proc/self/stat", b[:])])
	for i := len(stat) - 1; i >= 0; i-- {
		if stat[i] == ')' { // the name before it may hold anything
			stat = stat[i:]
			break
		}
	}
	for range field - 2 {
		_, stat = lite.Cut(stat, ' ')
	}
	word, _ := lite.Cut(stat, ' ')
	ticks, ok := config.Uint(word)
	var now syscall.Timespec
	wall := platform.WallNS()
	_, _, e := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, bootTime, uintptr(unsafe.Pointer(&now)), 0)
	age := uint64(now.Nano()) - ticks*perTick
	if !ok || e != 0 || age > wall {
		return 0
	}
	return wall - age
}
