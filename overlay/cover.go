package overlay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/rewrite/cover"
	"github.com/markgen/markgen/rewrite/gc"
	rt "github.com/markgen/markgen/runtime"
)

// With -cover, go silently ignores -overlay. So go does not get the cover flags; the marked program
// counts the blocks that go would count, and the profile and the percentages are computed from its
// data.
//
// Differences from go test: blocks are always counted exactly, in mode count, too, in which go's
// counters lose increments of concurrent goroutines; a -coverprofile of several test binaries with
// -coverpkg has each block once, with the sum, where go's has one line for each binary; and blocks
// are sorted by file.

// A coverage has the cover flags of a command line, and the blocks and their counts.
type coverage struct {
	mode     string
	patterns []string // of -coverpkg; nil if each package is covered by its own tests
	profile  string   // absolute path of -coverprofile, or ""

	packages []*task            // packages whose blocks are counted
	blocks   map[string][]block // blocks of the packages used so far, by import path
	user     replacements
	release  gc.Release

	collection *Collection
	read       map[string]bool                      // data files already read
	data       map[string]map[blockAt]profile.Block // counts, by the package whose tests counted them
}

type block = profile.Block

// blockAt identifies a block.
type blockAt struct {
	file                                string
	line, col, endLine, endCol, numStmt int
}

var coverFlags = []string{"cover", "covermode", "coverpkg", "coverprofile"}

// covers reports whether the command line has a flag that turns on coverage.
func (c *CommandLine) covers() bool {
	for _, name := range coverFlags[1:] {
		if _, ok := c.Flag(name); ok {
			return true
		}
	}
	return c.Bool("cover")
}

// takeCoverage removes the cover flags from the command line.
func (b *Build) takeCoverage() error {
	b.command = b.plain.Without(append(coverFlags, "overlay")...)
	if !b.plain.covers() {
		return nil
	}
	drop := map[string]bool{}
	for _, name := range coverFlags {
		drop[name] = true
	}
	if flags := b.plain.defaultsWithout(drop); flags != b.plain.defaultsWithout(nil) {
		b.environ = setenv(b.environ, "GOFLAGS", flags)
	}
	c := &coverage{release: gc.Of(b.env.GOVERSION), read: map[string]bool{}, data: map[string]map[blockAt]block{}, blocks: map[string][]block{}}
	race := b.plain.Bool("race")
	c.mode, _ = b.plain.Flag("covermode")
	switch c.mode {
	case "":
		c.mode = "set"
		if race {
			c.mode = "atomic"
		}
	case "set", "count", "atomic":
		if race && c.mode != "atomic" {
			return fmt.Errorf(`-covermode must be "atomic", not %q, when -race is enabled`, c.mode)
		}
	default:
		return fmt.Errorf(`invalid argument %q for -covermode; write set, count or atomic`, c.mode)
	}
	if v, ok := b.plain.Flag("coverpkg"); ok && v != "" {
		c.patterns = strings.Split(v, ",")
	}
	if v, ok := b.plain.Flag("coverprofile"); ok && v != "" {
		dir := b.dir
		if out, ok := b.plain.Flag("outputdir"); ok && out != "" {
			dir = absolute(b.dir, out)
		}
		c.profile = absolute(dir, v)
	}
	if b.plain.Verb != "test" {
		b.Notes = append(b.Notes, "-cover: blocks are counted into the data of the run (-o FILE, then markgen report -format cover FILE), not into GOCOVERDIR")
	}
	b.cover = c
	return nil
}

// choose returns the packages whose blocks are counted: those that match -coverpkg, or else the
// packages under test, or the main module's packages of a program.
func (c *coverage) choose(ctx context.Context, b *Build) ([]*Package, error) {
	if c.patterns != nil {
		s, err := choose(ctx, b.packages, "-coverpkg", c.patterns, b.listOptions())
		if err != nil {
			return nil, err
		}
		b.Notes = append(b.Notes, s.notes...)
		return slices.DeleteFunc(s.packages, func(p *Package) bool { return len(p.GoFiles)+len(p.CgoFiles) == 0 }), nil
	}
	var picked []*Package
	for _, p := range b.packages {
		if !markable(p) || len(p.GoFiles)+len(p.CgoFiles) == 0 {
			continue
		}
		if b.plain.Verb == "test" && !p.DepOnly || b.plain.Verb != "test" && isMain(p) {
			picked = append(picked, p)
		}
	}
	if b.plain.Verb == "test" && slices.ContainsFunc(picked, func(p *Package) bool { return p.Standard }) {
		low, err := belowRuntime(ctx, b.listOptions())
		if err != nil {
			return nil, err
		}
		picked = slices.DeleteFunc(picked, func(p *Package) bool { return low[p.ImportPath] })
	}
	return picked, nil
}

// testRecord begins a line in the table of a test binary that names the package under test. Readers
// of the data ignore lines of unknown kind, such as this one.
const testRecord = "t\tmarkgen test binary\t"

// plant adds a file to the tests of each package under test that registers the package's name, to
// tell the data files of test binaries apart.
func (c *coverage) plant(r replacements, b *Build) error {
	if b.plain.Verb != "test" {
		return nil
	}
	for _, p := range b.named() {
		name := p.Name
		switch {
		case len(p.TestGoFiles) > 0:
		case len(p.XTestGoFiles) > 0:
			name += "_test"
		default:
			continue
		}
		text := "package " + name + "\n\nimport markgen_perf " + strconv.Quote(rt.VirtualPerf) +
			"\n\nvar _ = markgen_perf.Register(nil, 0, nil, 0, " + strconv.Quote(testRecord+p.ImportPath+"\n") + ")\n"
		to, err := b.cache.text([]byte(text), ".go")
		if err != nil {
			return err
		}
		r[filepath.Join(p.Dir, "markgen_name_test.go")] = to
	}
	return nil
}

// result returns what go test prints after "coverage: " for a package.
func (c *coverage) result(importPath string, tests bool) string {
	counted := slices.ContainsFunc(c.packages, func(t *task) bool { return t.ImportPath == importPath })
	if !tests && !counted {
		return ""
	}
	if err := c.readData(); err != nil {
		return ""
	}
	all, in := c.static(importPath), ""
	if c.patterns != nil {
		all = nil
		for _, t := range c.packages {
			if blocks := c.static(t.ImportPath); !t.DepOnly || c.counts(importPath, blocks) {
				all = append(all, blocks...)
			}
		}
		in = " in " + strings.Join(c.patterns, ", ")
		if !tests {
			all = c.static(importPath)
			in = ""
		}
	}
	total, covered := 0, 0
	for _, b := range all {
		total += b.NumStmt
		if c.data[importPath][at(b)].Count > 0 {
			covered += b.NumStmt
		}
	}
	if total == 0 {
		if !tests {
			return ""
		}
		return "[no statements]"
	}
	return fmt.Sprintf("%.1f%% of statements%s", 100*float64(covered)/float64(total), in)
}

// counts reports whether coverage of a package's tests includes the given blocks: go includes all
// packages under test, and other packages only if they are in the test binary
// (cmd/go/internal/test/test.go, builderTest).
func (c *coverage) counts(importPath string, blocks []block) bool {
	return slices.ContainsFunc(blocks, func(b block) bool {
		_, ok := c.data[importPath][at(b)]
		return ok
	})
}

// write writes the -coverprofile.
func (c *coverage) write() error {
	if c.profile == "" {
		return nil
	}
	if err := c.readData(); err != nil {
		return err
	}
	merged := map[blockAt]block{}
	for _, t := range c.packages {
		for _, b := range c.static(t.ImportPath) {
			merged[at(b)] = b
		}
	}
	for under, blocks := range c.data {
		for k, b := range blocks {
			if c.patterns == nil && path.Dir(b.File) != under {
				continue // another package under test: its own tests count it
			}
			m, ok := merged[k]
			if ok {
				m.Count += b.Count
				merged[k] = m
			}
		}
	}
	list := make([]block, 0, len(merged))
	for _, b := range merged {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b block) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.StartCol, b.StartCol),
			cmp.Compare(a.EndLine, b.EndLine), cmp.Compare(a.EndCol, b.EndCol))
	})
	var out bytes.Buffer
	fmt.Fprintf(&out, "mode: %s\n", c.mode)
	for _, b := range list {
		n := b.Count
		if c.mode == "set" {
			n = min(n, 1)
		}
		fmt.Fprintf(&out, "%s:%d.%d,%d.%d %d %d\n", b.File, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt, n)
	}
	return writeFile(c.profile, out.Bytes(), 0o666)
}

// readData reads the data files that were not read yet. The data of a test binary that is still
// running are read again later.
func (c *coverage) readData() error {
	files, err := c.collection.Files()
	if err != nil {
		return err
	}
	for _, name := range files {
		if c.read[name] {
			continue
		}
		text, err := fileread.File(name)
		if err != nil {
			return err
		}
		_, under, ok := bytes.Cut(text, []byte(testRecord))
		if !ok {
			continue
		}
		under, _, _ = bytes.Cut(under, []byte("\n"))
		p, err := runfile.Read(name)
		if err != nil || p.Alive {
			continue
		}
		c.read[name] = true
		blocks := c.data[string(under)]
		if blocks == nil {
			blocks = map[blockAt]block{}
			c.data[string(under)] = blocks
		}
		for _, b := range p.Blocks {
			old := blocks[at(b)]
			b.Count += old.Count
			blocks[at(b)] = b
		}
	}
	return nil
}

func at(b block) blockAt {
	return blockAt{b.File, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.NumStmt}
}

// static returns all blocks of a counted package, with count 0.
func (c *coverage) static(importPath string) []block {
	if blocks, ok := c.blocks[importPath]; ok {
		return blocks
	}
	var blocks []block
	for _, t := range c.packages {
		if t.ImportPath != importPath {
			continue
		}
		for _, name := range slices.Concat(t.GoFiles, t.CgoFiles) {
			text, err := c.user.read(filepath.Join(t.Dir, name))
			if err != nil {
				continue
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				continue
			}
			for _, b := range cover.Blocks(fset, f, text, c.release) {
				blocks = append(blocks, block{File: t.path + "/" + b.File, StartLine: b.StartLine, StartCol: b.StartCol,
					EndLine: b.EndLine, EndCol: b.EndCol, NumStmt: b.NumStmt})
			}
		}
	}
	c.blocks[importPath] = blocks
	return blocks
}
