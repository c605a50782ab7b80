// Command resources looks at what it was given: file descriptors, arguments, environment, working
// directory. Markers take no
// low descriptor, whose number a program may count on, and survive what a daemon does at its start.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

func descriptors() int {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return -1
	}
	defer f.Close()
	return int(f.Fd())
}

func environment() (n int) {
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "MARKGEN=") {
			continue
		}
		n++
	}
	return n
}

func daemon() {
	for fd := 3; fd < 1024; fd++ {
		// The Go runtime ends a program whose own polling descriptors are closed.
		if to, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd)); err == nil && strings.HasPrefix(to, "anon_inode:[event") {
			continue
		}
		syscall.Close(fd)
	}
	if err := os.Chdir("/"); err != nil {
		fmt.Println(err)
	}
	os.Clearenv()
	syscall.Umask(0o777)
}

func child() {
	if len(os.Args) > 1 {
		fmt.Println("child", os.Args[1:])
		os.Exit(3)
	}
	exe, err := os.Executable()
	if err != nil {
		fmt.Println(err)
		return
	}
	cmd := exec.Command(exe, "a", "b c")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	fmt.Println(cmd.Run())
	fmt.Println(environment() <= 1, filepath.IsAbs(exe))
}

func main() {
	child()
	first := descriptors()
	fmt.Println(first, first == descriptors(), len(os.Args))
	daemon()
	wd, _ := os.Getwd()
	fmt.Println(wd, len(os.Environ()))
	for i := range 3 {
		fmt.Println(descriptors() > 0, i)
	}
}
