package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/runtime/layout"
)

// Names in the directory refused: a batch, and with whyExt behind it the answer that the service gave.
func refusedName(run string, sequence uint32) string {
	return fmt.Sprintf("%s-%d%s", run, sequence, layout.DataExt)
}

const whyExt = ".txt"

// refusedBatch is which batch the file is that goes by a name in the directory refused.
func refusedBatch(name string) (run fleet.RunID, sequence uint32, ok bool) {
	text, digits, _ := strings.Cut(strings.TrimSuffix(name, layout.DataExt), "-")
	run, err := fleet.ParseRunID(text)
	n, err2 := strconv.ParseUint(digits, 10, 32)
	return run, uint32(n), err == nil && err2 == nil && name == refusedName(text, uint32(n))
}

// PutBack makes deliveries again of the batches that the service refused, for Send to try once more, and says of how
// many. They keep their runs and sequences, by which the service counts each once, if it should have one after all.
func (s *Spool) PutBack() (n int, err error) {
	entries, err := os.ReadDir(s.path(refusedDir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		run, sequence, ok := refusedBatch(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return n, err
		}
		body, err := fileread.File(s.path(refusedDir, e.Name()))
		if err != nil {
			return n, err
		}
		// The file's time is that of its figures, see refuse.
		back := note{Run: run.String(), First: sequence, Frozen: moment{WallNS: info.ModTime().UnixNano()}, Refused: e.Name()}
		if err := s.freeze(back, [][]byte{body}, nil); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}
