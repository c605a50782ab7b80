package overlay

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
)

// killTree kills a process and its descendants, as far as their parents still exist. It first stops
// all of them: a stopped process cannot start another one, which would be missed. A process may
// fork just before the signal stops it, so killTree looks until it finds no new process in two
// scans.
func killTree(p *os.Process) error {
	err := p.Signal(syscall.SIGSTOP)
	below := map[int]bool{}
	for same := 0; same < 2; same++ {
		for _, pid := range descendants(p.Pid) {
			if !below[pid] {
				below[pid], same = true, -1
				_ = syscall.Kill(pid, syscall.SIGSTOP) // errors are reported below
			}
		}
	}
	err = errors.Join(err, p.Kill())
	for pid := range below {
		if e := syscall.Kill(pid, syscall.SIGKILL); e != nil && !errors.Is(e, syscall.ESRCH) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// descendants returns the descendants of a process, parents before children.
func descendants(pid int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(child); ok {
			children[parent] = append(children[parent], child)
		}
	}
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
		delete(children, list[i])
	}
	return list[1:]
}

// parentOf returns the parent of a process: the fourth field of /proc/PID/stat, the second after
// the command name, which may contain any characters (proc_pid_stat(5)).
func parentOf(pid int) (parent int, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	words := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(words) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(string(words[1]))
	return parent, err == nil
}
