package filewrite

import (
	"fmt"
	"os"
	"path/filepath"
)

// Sweep removes files that a killed process left in a directory: temporary files and second names
// (see the package comment) with the ID of a process that no longer exists. The caller must have
// locked the directories being written to (Lock), since Sweep cannot tell whether a process of
// another machine or container exists.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir) // an unreadable directory is not written to either
	for _, e := range entries {
		var pid, try int
		if n, _ := fmt.Sscanf(e.Name(), tempName, &pid, &try); n == 2 && e.Name() == fmt.Sprintf(tempName, pid, try) && e.Type().IsRegular() && isGone(pid) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
