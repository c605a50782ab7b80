package overlay

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// drainAll drains the rings of all processes until the keeper is closed.
func (k *keeper) drainAll() {
	defer close(k.drained)
	for range k.wake {
		for {
			k.mu.Lock()
			files := slices.Clone(k.kept)
			k.mu.Unlock()
			left, coming, many := 0, false, false
			for _, f := range files {
				f.mu.Lock()
				if f.drain != nil {
					left++
					c, m := f.drain.poll()
					coming, many = coming || c, many || m
				}
				f.mu.Unlock()
			}
			if left == 0 {
				break
			}
			pause := wakeIdle
			if many {
				pause = 0
			} else if coming {
				pause = wakeBusy
			}
			select {
			case _, open := <-k.wake:
				if !open {
					return
				}
			case <-time.After(pause):
			}
		}
	}
}

// finishDrain ends the draining of a file and returns the path of the file on disk with all of its
// data, or "" if there is none.
func (k *keeper) finishDrain(f *keptFile, used int64) (name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.drain == nil {
		return "", nil
	}
	if name, err = f.drain.finish(used); err != nil { // the data in memory remain
		k.warnings = append(k.warnings, fmt.Sprintf("the trace could not be completed on the disk: %v; only the newest records are kept; set TMPDIR to where there is room", err))
		err = os.Remove(f.drain.to.Name())
	} else if text := f.drain.trouble(); text != "" {
		k.warnings = append(k.warnings, text)
	}
	f.drain.close()
	f.drain = nil
	return name, err
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}
