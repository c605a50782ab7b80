package overlay

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machineMemory returns the memory available to this process in bytes, limited by the machine or
// the control group; 0 if unknown.
func machineMemory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	memory := uint64(info.Totalram) * uint64(info.Unit)
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return memory
	}
	return min(memory, groupMemory("/sys/fs/cgroup", string(groups)))
}

// groupMemory returns the minimum memory limit of the control groups in a list in the format of
// /proc/self/cgroup (see cgroups(7)) and of their parents.
func groupMemory(root, groups string) uint64 {
	least := ^uint64(0)
	for line := range strings.Lines(groups) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		dir, file := root, "memory.max"
		switch controllers {
		case "":
		case "memory":
			dir, file = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		default:
			continue
		}
		for ; ; group = filepath.Dir(group) {
			text, err := os.ReadFile(filepath.Join(dir, group, file))
			if err == nil {
				if n, err := strconv.ParseUint(string(bytes.TrimSpace(text)), 10, 64); err == nil { // or "max"
					least = min(least, n)
				}
			}
			if group == "/" || group == "." || group == "" {
				break
			}
		}
	}
	return least
}
