package filewrite

import (
	"fmt"
	"os"
	"path/filepath"
)

// Sweep removes what a killed process has left in a directory: temporary files and second names of files (see the
// package) that are named after a process which is gone. The caller has locked what is written there (Lock): whether a
// process of another machine or container is gone cannot be seen.
func Sweep(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read cannot be written either
	for _, e := range entries {
		var pid, try int
		if n, _ := fmt.Sscanf(e.Name(), tempName, &pid, &try); n == 2 && e.Name() == fmt.Sprintf(tempName, pid, try) && e.Type().IsRegular() && isGone(pid) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
