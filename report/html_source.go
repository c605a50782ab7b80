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

// Source is the current text of a file with markers.
type Source struct {
	Text    string
	Path    string    // path on this machine; "" if there is none
	Changed time.Time // modification time; zero if unknown
	Go      string    // version of Go that the file is part of; "" if none
}

// mostSource is the maximum amount of source in a page, in bytes. It compresses to about a third.
const mostSource = 8 << 20

// pageSource is a file with executed markers.
type pageSource struct {
	File int    `json:"file"` // index in pageData.Files
	Text string `json:"text"`
	Note string `json:"note"` // why there is no text, or why its lines may not match the markers
}

// A sourceName identifies a file as markers do: files in two modules may have the same name.
type sourceName struct {
	pkg  string // import path of the package
	file string
	std  bool // file is relative to GOROOT/src, not to a module's root, and not absolute
}

// sourceOf returns the file of a marker. The directories of files below GOROOT/src are package
// paths, with which the marker's name begins; in other files the name begins with the module's
// path.
func sourceOf(m *profile.Marker) sourceName {
	dir := path.Dir(m.File)
	return sourceName{m.Package, m.File, dir != "." && strings.HasPrefix(m.Name, dir+".")}
}

// sources reads the files of executed markers, in order of decreasing running time, up to
// mostSource. It returns them sorted by their number in index.
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
				self[at] += m.RunningNS() // on overflow, only the order is wrong
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

// addresses returns the URLs of the files in index.
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

// fromPage returns a function that returns the text of files in the page.
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

// longestHeader is the maximum length in characters of a header shown beside a name. The source
// listing shows all of it.
const longestHeader = 120

// headers returns the headers of loops and branches, in the files that read returns.
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

// fromSource returns a function that reads files through o.Source.
func fromSource(o Options) func(sourceName) (string, bool) {
	return func(at sourceName) (string, bool) {
		if o.Source == nil {
			return "", false
		}
		source, err := o.Source(at.pkg, at.file, at.std)
		return source.Text, err == nil
	}
}

// note explains why the lines of a file may differ from those of the program that ran; "" if
// nothing indicates that.
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
