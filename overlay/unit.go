package overlay

import (
	"bytes"
	"errors"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"sort"
	"strconv"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
	rt "github.com/markgen/markgen/runtime"
)

// A unit is a group of files of a package that are compiled together.
type unit struct {
	name    string // Unit of rewrite.Overlay: "" for the package, "t" for its tests, "x" for external tests
	path    string
	files   []rewrite.Source
	planted bool             // false if it is only read to assign IDs
	blanked []rewrite.Source // files marked in place, with their markers blanked
	others  others           // files excluded by build constraints
}

// others are files that build constraints exclude from a unit. They affect the names and IDs of the
// compiled markers. Since they may be much larger than the package, at most one is in memory at a
// time.
type others struct {
	names []string // paths
	key   string   // hash of names and texts
}

// readUnits reads the files of a package, and those of its tests if tests is true. That is also the
// case for unmarked tests if there is a registry: which ID a point takes over depends on all points
// of the package.
func (m *planter) readUnits(t *task, tests bool) ([]*unit, error) {
	units := []*unit{{path: t.path, planted: true}}
	lists := [][]string{append(t.GoFiles[:len(t.GoFiles):len(t.GoFiles)], t.CgoFiles...)}
	if tests {
		units = append(units, &unit{name: "t", path: t.path, planted: t.tests}, &unit{name: "x", path: t.path + "_test", planted: t.tests})
		lists = append(lists, t.TestGoFiles, t.XTestGoFiles)
	}
	read := units[:0]
	for i, u := range units {
		for _, name := range lists[i] {
			name = filepath.Join(t.Dir, name)
			text, err := m.user.read(name)
			if err != nil {
				return nil, err
			}
			source := rewrite.Source{Name: name, Text: inplace.Blank(text)}
			u.files = append(u.files, source)
			if !bytes.Equal(source.Text, text) {
				u.blanked = append(u.blanked, source)
			}
		}
		if len(u.files) > 0 {
			read = append(read, u)
		}
	}
	return read, m.readOthers(t, read)
}

// readOthers reads the files that build constraints exclude from the units.
func (m *planter) readOthers(t *task, units []*unit) error {
	keys := map[*unit]hasher{}
	for _, name := range t.IgnoredGoFiles {
		path := filepath.Join(t.Dir, name)
		text, err := m.user.read(path)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.PackageClauseOnly)
		if err != nil {
			continue // it may not be Go
		}
		in, ok := t.Unit(name, f.Name.Name)
		i := slices.IndexFunc(units, func(u *unit) bool { return u.name == in })
		if !ok || i < 0 {
			continue
		}
		u := units[i]
		if keys[u].Hash == nil {
			keys[u] = newHasher()
		}
		keys[u].words(name)
		keys[u].bytes(text)
		u.others.names = append(u.others.names, path)
	}
	for u, h := range keys {
		u.others.key = h.String()
	}
	return nil
}

// loadOther loads one of the others; it returns nil if the file is not valid Go of this release.
func (m *planter) loadOther(u *unit, name string) (*rewrite.Unit, error) {
	text, err := m.user.read(name)
	if err != nil {
		return nil, err
	}
	other, err := rewrite.Load(u.path, []rewrite.Source{{Name: name, Text: inplace.Blank(text)}})
	if err != nil {
		return nil, nil
	}
	return other, nil
}

// find finds the points of a unit, and those of the others if they affect IDs: known says that the
// user's registry has some, and so those of all files.
func (m *planter) find(u *unit, own *rewrite.Unit, o rewrite.Options, known bool) (beside []registry.Point, err error) {
	if len(u.others.names) == 0 {
		return nil, own.Find(o)
	}
	numbers := own.Numbers()
	if !known && numbers.None() {
		return nil, own.Find(o)
	}
	var names []string // files with points that affect numbering
	for _, name := range u.others.names {
		other, err := m.loadOther(u, name)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if n := other.Numbers(); known || !n.None() {
			names, numbers = append(names, name), append(numbers, n...)
		}
	}
	own.Number(numbers)
	if !known {
		return nil, own.Find(o)
	}
	for _, name := range names {
		other, err := m.loadOther(u, name)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if other.Number(numbers); other.Find(o) == nil {
			beside = append(beside, other.RegistryPoints()...)
		}
	}
	return beside, own.Find(o)
}

// key returns a hash of everything that determines the marked text.
func (m *planter) key(t *task, units []*unit, registryKey string, o Marking) string {
	h := newHasher()
	h.words(formatVersion, m.cache.key, o.words(), strconv.FormatBool(o.Cover), registryKey, t.path)
	for _, u := range units {
		h.words(u.name, strconv.FormatBool(u.planted), strconv.Itoa(len(u.blanked)), u.others.key)
		for _, f := range u.files {
			h.words(inRoot(t.root, f.Name))
			h.bytes(f.Text)
		}
	}
	return h.String()
}

// plant marks the units of a package and stores the texts. The points of the package and of its
// in-package tests are assigned IDs together, since both may have init functions, which have the
// same name.
func (m *planter) plant(t *task, units []*unit, root *root, o Marking) ([]markedFile, error) {
	loaded := make([]*rewrite.Unit, len(units))
	for i, s := range units {
		u, err := rewrite.Load(s.path, s.files)
		if err != nil && s.planted {
			return nil, err
		}
		loaded[i] = u
	}
	var points, others []registry.Point
	var errs rewrite.Errors
	for i, s := range units {
		u := loaded[i]
		if u == nil {
			continue
		}
		options := o.Options
		options.Cover = o.Cover && s.name == ""
		beside, err := m.find(s, u, options, root.stored)
		if err != nil {
			loaded[i] = nil
		}
		var found rewrite.Errors
		switch {
		case err == nil:
			points, others = append(points, u.RegistryPoints()...), append(others, beside...)
		case !s.planted: // nothing that affects this build
		case errors.As(err, &found):
			errs = append(errs, found...)
		default:
			return nil, err
		}
	}
	if len(errs) > 0 {
		return nil, errs
	}
	points = append(points, others...)
	given, _ := root.registry.Assign([]string{t.path, t.path + "_test"}, points)
	guesses := make([]bool, len(points))
	if root.baseline != nil {
		guesses = root.baseline.Guesses(points, given)
	}
	points, others = nil, nil
	recovers := len(units) > 0 && units[0].name == "" && loaded[0] != nil && loaded[0].Recovers()
	var files []markedFile
	for i, u := range loaded {
		loaded[i] = nil // frees the syntax trees, most of the memory in use
		texts := map[string][]byte{}
		for _, s := range units[i].blanked {
			texts[s.Name] = s.Text
		}
		if u != nil {
			n := len(u.Points)
			u.SetIDs(given[:n])
			for i, guess := range guesses[:n] {
				u.Points[i].Guess = guess
			}
			given, guesses = given[n:], guesses[n:]
		}
		if u != nil && units[i].planted {
			planted, err := u.Overlay(rewrite.Overlay{Runtime: rt.VirtualPerf, Root: t.root, Unit: units[i].name, Recovers: recovers})
			if err != nil {
				return nil, err
			}
			maps.Copy(texts, planted)
		}
		for name, text := range texts {
			path, err := m.cache.text(text, ".go")
			if err != nil {
				return nil, err
			}
			files = append(files, markedFile{name: filepath.Base(name), text: path})
		}
	}
	sort.Slice(files, func(i, j int) bool { return files[i].name < files[j].name })
	return files, nil
}
