package datafile

import (
	"syscall"

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
	if err := again(func() error { return syscall.Connect(s, &syscall.SockaddrUnix{Name: "@" + name}) }); err != nil {
		return -1
	}
	if _, err := syscall.SendmsgN(s, []byte(secret[:half]), nil, nil, syscall.MSG_NOSIGNAL); err != nil {
		return -1
	}
	answer := make([]byte, half)
	var rights [64]byte
	n, size := 0, 0
	if err := again(func() (err error) {
		n, size, _, _, err = syscall.Recvmsg(s, answer, rights[:], syscall.MSG_CMSG_CLOEXEC)
		return err
	}); err != nil {
		return -1
	}
	mine := -1
	messages, _ := syscall.ParseSocketControlMessage(rights[:size])
	for i := range messages {
		fds, _ := syscall.ParseUnixRights(&messages[i])
		for _, fd := range fds {
			if mine < 0 && n == half && string(answer) == secret[half:] {
				mine = fd
			} else {
				syscall.Close(fd)
			}
		}
	}
	return mine
}
