package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/markgen/markgen/profile"
)

// Source is the text of a file with markers in it, as it is now.
type Source struct {
	Text    string
	Changed time.Time // the last time; zero: unknown
	Go      string    // the version of Go that the file came with; "": it came with none
}

// mostSource is how much source goes into a page, in bytes. It compresses to about a
// third of that.
const mostSource = 8 << 20

// pageSource is a file with markers that were passed.
type pageSource struct {
	File string `json:"file"`
	Text string `json:"text"`
	Note string `json:"note"` // why there is no text, or why its lines may be others than the markers'
}

// sources reads the files of markers that were passed, those that took most time
// first, until there is enough. They come sorted by name; nil: none were asked for.
func sources(profiles []*profile.Profile, o Options) []pageSource {
	list := []pageSource{}
	if o.Source == nil {
		return list
	}
	self := map[string]uint64{}
	for _, p := range profiles {
		for i := range p.Markers {
			if m := &p.Markers[i]; m.Count > 0 && m.File != "" {
				self[m.File] += m.SelfNS // past 2^64 another order, no more
			}
		}
	}
	files := make([]string, 0, len(self))
	for f := range self {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(-cmp.Compare(self[a], self[b]), cmp.Compare(a, b)) })
	size := 0
	for _, f := range files {
		s := pageSource{File: printable(f)}
		switch text, err := o.Source(f); {
		case err != nil:
			s.Note = err.Error()
		case size+len(text.Text) > mostSource:
			s.Note = fmt.Sprintf("left out: the files with markers that took more time are %d MB already", mostSource>>20)
		default:
			size += len(text.Text)
			s.Text, s.Note = text.Text, text.note(profiles[0])
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b pageSource) int { return cmp.Compare(a.File, b.File) })
	return list
}

// note says why the lines of a file may be others than those of the program that
// ran, "" if nothing is known that says so.
func (s Source) note(p *profile.Profile) string {
	switch {
	case s.Go != "" && p.Go != "" && s.Go != p.Go:
		return fmt.Sprintf("this is the file of %s, and the program was built with %s: lines may be off", s.Go, p.Go)
	case s.Go == "" && p.Runs == 1 && s.Changed.After(p.Start):
		return "the file has changed since the run began: lines may be off"
	case s.Go == "" && p.Runs > 1 && s.Changed.After(p.Start):
		return "the file has changed since the first of the runs began: lines may be off"
	}
	return ""
}
