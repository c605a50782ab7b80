package datafile

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// keeperPatience is the time that a keeper has to answer, in s. It may be stopped, by a debugger
// say, and the program should not wait for that.
const keeperPatience = 2

// fetch asks a keeper for a data file: memory that has no name, that no process can truncate, and
// that the keeper still has when this process is gone. It returns -1 if it gets none, for example
// because the keeper is gone itself.
//
// key is NAME.SECRET: the abstract name of the keeper's socket, and a secret of which each end
// sends the other one half. Any process can connect, or use the name after the keeper is gone.
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

	to := syscall.RawSockaddrUnix{Family: syscall.AF_UNIX}
	path := unsafe.Slice((*byte)(unsafe.Pointer(&to.Path)), len(to.Path))
	size := unsafe.Offsetof(to.Path) + 1 + uintptr(copy(path[1:], name)) // the NUL first makes it abstract
	if _, ok := socketCall(sysConnect, s, unsafe.Pointer(&to), size, 0); !ok {
		return -1
	}
	ask := unsafe.Pointer(unsafe.StringData(secret))
	if _, ok := socketCall(sysSendto, s, ask, uintptr(half), syscall.MSG_NOSIGNAL); !ok {
		return -1
	}
	answer := make([]byte, half)
	into := syscall.Iovec{Base: unsafe.SliceData(answer)}
	into.SetLen(half)
	var rights struct { // with room for one descriptor: the kernel passes no others on
		head syscall.Cmsghdr
		fd   int32
	}
	message := syscall.Msghdr{Iov: &into, Iovlen: 1, Control: (*byte)(unsafe.Pointer(&rights))}
	message.SetControllen(int(unsafe.Offsetof(rights.fd) + unsafe.Sizeof(rights.fd)))
	n, ok := socketCall(sysRecvmsg, s, unsafe.Pointer(&message), syscall.MSG_CMSG_CLOEXEC, 0)
	if !ok || rights.head.Level != syscall.SOL_SOCKET || rights.head.Type != syscall.SCM_RIGHTS {
		return -1
	}
	if int(n) != half || string(answer) != secret[half:] {
		syscall.Close(int(rights.fd))
		return -1
	}
	return int(rights.fd)
}

// socketCall makes a system call for a socket, again if a signal interrupts it. The functions of
// package syscall would add 5 KB to a program, for all kinds of addresses and messages.
//
//go:noinline
func socketCall(trap uintptr, s int, p unsafe.Pointer, size, flags uintptr) (n uintptr, ok bool) {
	for {
		n, _, e := syscall.Syscall6(trap, uintptr(s), uintptr(p), size, flags, 0, 0)
		if e != syscall.EINTR {
			return n, e == 0
		}
	}
}
