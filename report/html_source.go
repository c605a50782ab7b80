package report

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
)

// Source is the text of a file with markers in it, as it is now.
type Source struct {
	Text    string
	Path    string    // of the file on this machine; "": it has none
	Changed time.Time // the last time; zero: unknown
	Go      string    // the version of Go that the file came with; "": it came with none
}

// mostSource is how much source goes into a page, in bytes. It compresses to about a
// third of that.
const mostSource = 8 << 20

// pageSource is a file with markers that were passed.
type pageSource struct {
	File int    `json:"file"` // index in pageData.Files
	Text string `json:"text"`
	Note string `json:"note"` // why there is no text, or why its lines may be others than the markers'
}

// A sourceName is a file as markers name it: in two modules files may have the same name.
type sourceName struct {
	pkg  string // import path of the package
	file string
	std  bool // below GOROOT/src, else relative to a module's root or absolute
}

// sourceOf is the file that a marker is in. The names of files below GOROOT/src are those of
// packages, which the marker's name begins with; elsewhere it begins with the path of a module.
func sourceOf(m *profile.Marker) sourceName {
	dir := path.Dir(m.File)
	return sourceName{m.Package, m.File, dir != "." && strings.HasPrefix(m.Name, dir+".")}
}

// sources reads the files of markers that were passed, those that took most time
// first, until there is enough. They come in the order of files, where index has
// each of them.
func sources(profiles []*profile.Profile, index map[sourceName]int, o Options) []pageSource {
	list := []pageSource{}
	if o.Source == nil {
		return list
	}
	self := map[sourceName]uint64{}
	for _, p := range profiles {
		for i := range p.Markers {
			m := &p.Markers[i]
			at := sourceOf(m)
			if _, known := index[at]; known && m.Count > 0 && m.File != "" {
				self[at] += m.RunningNS() // past 2^64 another order, no more
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(self), func(a, b sourceName) int {
		return cmp.Or(-cmp.Compare(self[a], self[b]), cmp.Compare(index[a], index[b]))
	})
	size := 0
	for _, at := range names {
		s := pageSource{File: index[at]}
		switch source, err := o.Source(at.pkg, at.file, at.std); {
		case err != nil:
			s.Note = err.Error()
		case size+len(source.Text) > mostSource:
			s.Note = fmt.Sprintf("left out: the files with markers that took more time are %d MB already", mostSource>>20)
		default:
			size += len(source.Text)
			s.Text, s.Note = source.Text, source.note(profiles[0])
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b pageSource) int { return cmp.Compare(a.File, b.File) })
	return list
}

// addresses are those of the files that are in index.
func addresses(index map[sourceName]int, link func(pkg, file string, std bool) string) []string {
	list := []string{}
	if link == nil {
		return list
	}
	names := slices.SortedFunc(maps.Keys(index), func(a, b sourceName) int { return cmp.Compare(index[a], index[b]) })
	for _, at := range names {
		if index[at] >= 0 {
			list = append(list, link(at.pkg, at.file, at.std))
		}
	}
	return list
}

// fromPage gives the text of files that are in the page.
func fromPage(list []pageSource, index map[sourceName]int) func(sourceName) (string, bool) {
	texts := map[int]string{}
	for _, s := range list {
		texts[s.File] = s.Text
	}
	return func(at sourceName) (string, bool) {
		i, known := index[at]
		return texts[i], known && texts[i] != ""
	}
}

// longestHeader is how much of a header is shown beside a name, in characters. The listing has all of it.
const longestHeader = 120

// headers are those of loops and branches in the files that read gives.
func headers(markers []*profile.Marker, read func(sourceName) (string, bool)) []string {
	known := NewHeaders(func(pkg, file string, std bool) (Source, error) {
		text, ok := read(sourceName{pkg, file, std})
		if !ok {
			return Source{}, fs.ErrNotExist
		}
		return Source{Text: text}, nil
	})
	list, some := make([]string, len(markers)), false
	for i, m := range markers {
		header := known.Of(m)
		if runes := []rune(header); len(runes) > longestHeader {
			header = string(runes[:longestHeader]) + "…"
		}
		list[i], some = header, some || header != ""
	}
	if !some {
		return []string{}
	}
	return list
}

// fromSource gives the text of files as they are found.
func fromSource(o Options) func(sourceName) (string, bool) {
	return func(at sourceName) (string, bool) {
		if o.Source == nil {
			return "", false
		}
		source, err := o.Source(at.pkg, at.file, at.std)
		return source.Text, err == nil
	}
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
