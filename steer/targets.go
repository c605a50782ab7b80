package steer

import "strconv"

// A Target is a marked process that runs, of which the data file was found.
type Target struct {
	PID     int    // by which Open finds it; in a container the process may have another for itself
	Command string // its command line, as far as it is known
	Status
}

// Targets are the marked processes on this machine that may be steered, by their IDs. Processes of other users are not among
// them, nor those that keep no data file. ok is false where the open files of processes can't be seen.
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
