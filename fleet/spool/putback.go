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

// refusedName returns the name of a batch in the directory refused. With whyExt appended it is that
// of the service's answer.
func refusedName(run string, sequence uint32) string {
	return fmt.Sprintf("%s-%d%s", run, sequence, layout.DataExt)
}

const whyExt = ".txt"

// refusedBatch parses a name in the directory refused.
func refusedBatch(name string) (run fleet.RunID, sequence uint32, ok bool) {
	text, digits, _ := strings.Cut(strings.TrimSuffix(name, layout.DataExt), "-")
	run, err := fleet.ParseRunID(text)
	n, err2 := strconv.ParseUint(digits, 10, 32)
	return run, uint32(n), err == nil && err2 == nil && name == refusedName(text, uint32(n))
}

// PutBack makes deliveries of the batches that the service refused, so that Send tries them again,
// and returns their number. They keep their run IDs and sequences, so that the service counts each
// once even if it has some.
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
		// The modification time is that of the statistics, see refuse.
		back := note{Run: run.String(), First: sequence, Frozen: instant{WallNS: info.ModTime().UnixNano()}, Refused: e.Name()}
		if err := s.freeze(back, [][]byte{body}, nil); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}
