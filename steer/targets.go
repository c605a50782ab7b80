package steer

import "strconv"

// A Target is a running marked process whose data file was found.
type Target struct {
	PID     int    // ID for Open; may differ from the process's own view in a container
	Command string // command line, if known
	Status
}

// Targets returns the marked processes on this machine that can be steered, sorted by ID. It omits
// processes of other users, and processes without a data file. ok is false if the open files of
// processes can't be seen.
func Targets() (list []Target, ok bool) {
	pids, ok := processes()
	for _, pid := range pids {
		found, err := ofProcess(pid)
		if err != nil {
			continue
		}
		p, err := openAs(found.path, found.shown, "process "+strconv.Itoa(pid))
		if err != nil {
			continue
		}
		if s, err := p.Status(); err == nil && s.Running {
			list = append(list, Target{pid, commandLine(pid), s})
		}
		p.Close()
	}
	return list, ok
}
