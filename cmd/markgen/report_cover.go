package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/cover"
	"github.com/markgen/markgen/rewrite/gc"
)

// readCover is read for the cover format.
func (d dataArgs) readCover(env *cli.Env) (p, old *profile.Profile, code int) {
	p, code = readRuns(env, d.now)
	if p != nil {
		if err := addBlocks(env, d.src, p); err != nil {
			return nil, nil, env.Fail(err)
		}
		if err := oneSource(p.Blocks); err != nil {
			return nil, nil, env.Fail(err)
		}
	}
	return p, nil, code
}

// oneSource returns an error if blocks, which are sorted, overlap: those of one source never do.
func oneSource(blocks []profile.Block) error {
	for i := 1; i < len(blocks); i++ {
		a, b := blocks[i-1], blocks[i]
		if a.File == b.File && (b.StartLine < a.EndLine || b.StartLine == a.EndLine && b.StartCol < a.EndCol) {
			return fmt.Errorf("the data are of builds of different source: in %s, the blocks from %d.%d to %d.%d and from %d.%d to %d.%d overlap; give the data of one build at a time",
				a.File, a.StartLine, a.StartCol, a.EndLine, a.EndCol, b.StartLine, b.StartCol, b.EndLine, b.EndCol)
		}
	}
	return nil
}

// addBlocks adds to a profile the basic blocks of the files whose markers are written in the source,
// as far as their counts follow from those of the markers. src is the value of -src: "" for the
// module of the working directory, whose files must not have changed since the run began. It must be
// called before a placer gives the markers lines.
func addBlocks(env *cli.Env, src string, p *profile.Profile) error {
	packages := map[[2]string]map[string]fileMarkers{} // by import path and directory, then by base name of the file
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Line != 0 || m.Package == "" || !filepath.IsLocal(filepath.FromSlash(m.File)) || !strings.HasSuffix(m.File, ".go") || strings.HasSuffix(m.File, "_test.go") {
			continue
		}
		key, file := [2]string{m.Package, path.Dir(m.File)}, path.Base(m.File)
		if packages[key] == nil {
			packages[key] = map[string]fileMarkers{}
		}
		if packages[key][file] == nil {
			packages[key][file] = fileMarkers{}
		}
		packages[key][file][m.Name] = m
	}
	if len(packages) > 0 && p.Untimed {
		return errors.New("the data have a trace without counts; collect=time+trace has both")
	}
	modules := newPlacer(env, src).modules
	for _, key := range slices.SortedFunc(maps.Keys(packages), func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) {
		c := blockCounter{pkg: key[0], folder: key[1], files: packages[key], p: p, given: src != ""}
		if err := c.count(modules); err != nil {
			return err
		}
	}
	slices.SortFunc(p.Blocks, profile.CompareBlocks)
	return nil
}

// fileMarkers are the markers of a file, by name.
type fileMarkers map[string]*profile.Marker

// A blockCounter computes the blocks of a package.
type blockCounter struct {
	pkg    string                 // import path
	folder string                 // its directory, relative to the root of its module
	files  map[string]fileMarkers // by base name
	p      *profile.Profile       // gets the blocks
	given  bool                   // the user says where the source is, with -src
}

func (c *blockCounter) count(modules *moduleFolders) error {
	names := slices.Sorted(maps.Keys(c.files))
	root := modules.of(c.pkg, path.Join(c.folder, names[0]))
	if root == "" {
		return fmt.Errorf("the module of package %s is not here; -src DIR gives the root of the module that was marked", c.pkg)
	}
	sources := sourcesIn(root, filepath.FromSlash(c.folder))
	u := unitsOf(sources, names[0], c.pkg)[""]
	for _, name := range names {
		shown := path.Join(c.folder, name)
		i := slices.IndexFunc(sources, func(s diskSource) bool { return s.Name == name })
		if i < 0 || u == nil {
			return fmt.Errorf("%s is not below %s, or is no Go file; -src DIR gives the root of the module that was marked", shown, root)
		}
		if !c.given && sources[i].changed.After(c.p.Start) {
			return fmt.Errorf("%s has changed since the run began, so its lines may be others; run the program again, or give the source that it was built from with -src DIR", shown)
		}
		gone := maps.Clone(c.files[name])
		for _, point := range u.Points {
			if point.Pos.Filename == name {
				delete(gone, point.Name)
			}
		}
		for _, marker := range slices.Sorted(maps.Keys(gone)) {
			return fmt.Errorf("%s is not what the program was built from: it has no %s; give that source with -src DIR", shown, marker)
		}
		for _, b := range u.BlockCounts(name, sources[i].marked, gc.Of(c.p.Go), c.files[name].scope) {
			c.p.Blocks = append(c.p.Blocks, profile.Block{File: c.pkg + "/" + b.File, StartLine: b.StartLine, StartCol: b.StartCol,
				EndLine: b.EndLine, EndCol: b.EndCol, NumStmt: b.NumStmt, Count: b.N})
		}
	}
	return nil
}

// scope returns how often a point ran, if the data say that exactly.
func (m fileMarkers) scope(point *rewrite.Point) (s cover.Scope, ok bool) {
	is := m[point.Name]
	if is == nil || is.Off != "" || is.Samples > 0 || is.Sample > 1 {
		return s, false
	}
	return cover.Scope{Entered: is.Count + is.Open, Open: is.Open}, true
}
