package pgtest

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// children returns the running child processes of a process.
func children(pid int) (list []int) {
	words, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		return nil // the process has ended
	}
	for _, word := range strings.Fields(string(words)) {
		if child, err := strconv.Atoi(word); err == nil {
			list = append(list, child)
		}
	}
	return list
}
