package overlay

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/gc"
)

// formatVersion is part of every cache key; it changes whenever the format of cached values
// changes.
const formatVersion = "markgen overlay 2"

// A task is a package to be marked.
type task struct {
	*Package
	dir   string // where go finds the package: Dir, or its copy
	path  string // import path in the names of markers and in coverage
	root  string // directory to which file names in the tables are relative
	tests bool   // mark the test files, too
	cover bool   // count basic blocks
	mark  bool   // plant markers; false if only blocks are to be counted
}

// A markedFile is a file that is replaced by a text in the cache.
type markedFile struct {
	name string // base name
	text string // path of the marked text
}

// A planter marks the packages of a build. Its methods may be called concurrently.
type planter struct {
	cache     *Cache
	user      replacements
	configure func(root string) (Marking, error)
	dir       string // directory to which file names in messages are relative
	goVersion string // version of the toolchain, as in go env GOVERSION
	inline    bool   // Inline of rewrite.Options
	main      bool   // InlineMain of rewrite.Options
	workers   int
	progress  func(done, total int)
	memory    *memory

	mu    sync.Mutex
	roots map[string]*root
}

// A Marking says which points of a module are marked, and how.
type Marking struct {
	rewrite.Options // Cover, Release, Inline and InlineMain are set by the build

	// Key distinguishes markings that differ in Keep, Adjust, Leave or Earlier; it is part of the
	// cache key.
	Key string

	// Earlier is the text of a registry of an earlier state of the module. Its markers keep their
	// IDs as if it were part of the module's own registry. The data file records which of the IDs
	// were matched by a guess.
	Earlier []byte
}

// words identifies the marking in cache keys.
func (m *Marking) words() string {
	return fmt.Sprintf("%t %t %t %t %t %t %d %s %s %s", m.All, m.Tests, m.Generated, m.Inline, m.InlineMain, m.Sizes, m.Min, m.Form, m.Release.Lang, m.Key)
}

// A root has what the packages of one module share.
type root struct {
	once     sync.Once
	marking  Marking
	registry *registry.Registry
	stored   bool               // the user's registry is not empty
	baseline *registry.Baseline // nil if the marking has none
	key      string             // identifies the registry; "" if there is none
	err      error
}

// Stats are statistics of marking a build.
type Stats struct {
	Packages  int      // marked packages
	Rewritten int      // packages that were not in the cache
	Files     int      // files with markers
	Skipped   []string // packages left unmarked, since they do not parse
	Runtime   bool     // the source imports the runtime, as packages marked in place do
	Paths     []string // import paths of the packages considered for marking
}

// Unmarked reports whether packages were considered for marking but the build has no marker, not
// even one written in the source.
func (s *Stats) Unmarked() bool {
	return s.Packages > 0 && s.Files == 0 && len(s.Skipped) == 0 && !s.Runtime
}

// mark marks the packages and returns the overlay entries of their files. A package that does not
// parse is left unmarked, since the compiler reports its errors better, unless the compiler may
// know newer syntax than this program. Errors in directives are returned as rewrite.Errors, all of
// them.
func (m *planter) mark(ctx context.Context, tasks []*task) (replacements, *Stats, error) {
	defer m.memory.pace.Restore()
	r, stats := replacements{}, &Stats{Packages: len(tasks)}
	for _, t := range tasks {
		stats.Paths = append(stats.Paths, t.path)
	}
	var (
		mu   sync.Mutex
		errs rewrite.Errors
		done int
	)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, m.workers))
	for _, t := range tasks {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			files, cached, err := m.markPackage(t)

			mu.Lock()
			defer mu.Unlock()
			done++
			if m.progress != nil {
				m.progress(done, len(tasks))
			}
			var syntax scanner.ErrorList
			var directives rewrite.Errors
			switch {
			case errors.As(err, &syntax):
				if hint := gc.NewerSyntax(m.goVersion); hint != nil {
					return errors.Join(SyntaxErrors(syntax, m.dir), hint)
				}
				stats.Skipped = append(stats.Skipped, t.ImportPath)
				return nil
			case errors.As(err, &directives):
				errs = append(errs, directives...)
				return nil
			case err != nil:
				return err
			}
			if !cached {
				stats.Rewritten++
			}
			stats.Files += len(files)
			for _, f := range files {
				r[filepath.Join(t.dir, f.name)] = f.text
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return nil, nil, err
	}
	sort.Strings(stats.Skipped)
	if len(errs) > 0 {
		sort.SliceStable(errs, func(i, j int) bool {
			a, b := errs[i].Pos, errs[j].Pos
			if a.Filename != b.Filename {
				return a.Filename < b.Filename
			}
			return a.Offset < b.Offset
		})
		return nil, nil, errs
	}
	return r, stats, nil
}

// markPackage marks one package, or finds its marked files in the cache.
func (m *planter) markPackage(t *task) (files []markedFile, cached bool, err error) {
	root := m.root(t)
	if root.err != nil {
		return nil, false, root.err
	}
	units, err := m.readUnits(t, t.tests || root.key != "")
	if err != nil {
		return nil, false, err
	}
	marking := root.marking
	marking.Release = gc.Of(m.goVersion)
	marking.Cover, marking.Inline, marking.InlineMain = t.cover, m.inline, m.main
	if !t.mark {
		marking.All = false
	}
	key := m.key(t, units, root.key, marking)
	if files, ok := m.cache.entry(key); ok {
		return files, true, nil
	}
	n := 0
	for _, u := range units {
		for _, f := range u.files {
			n += len(f.Text)
		}
	}
	m.memory.acquire(n)
	defer m.memory.release(n)
	files, err = m.plant(t, units, root, marking)
	if err != nil {
		return nil, false, err
	}
	return files, false, m.cache.setEntry(key, files)
}

// root returns what the packages of the task's module share.
func (m *planter) root(t *task) *root {
	dir := t.root
	m.mu.Lock()
	if m.roots == nil {
		m.roots = map[string]*root{}
	}
	r := m.roots[dir]
	if r == nil {
		r = new(root)
		m.roots[dir] = r
	}
	m.mu.Unlock()
	r.once.Do(func() {
		r.registry = new(registry.Registry)
		if r.marking, r.err = m.configure(dir); r.err != nil || dir == "" {
			return
		}
		name := filepath.Join(dir, registry.FileName)
		text, err := m.user.read(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			r.err = err
			return
		}
		if len(text)+len(r.marking.Earlier) == 0 {
			return
		}
		r.registry, r.key, r.err = m.known(t, relativeTo(m.dir, name), text)
		r.stored = r.err == nil && !r.registry.Empty()
		if r.err != nil || len(r.marking.Earlier) == 0 {
			return
		}
		earlier, key, err := m.known(t, "the registry of the earlier source", r.marking.Earlier)
		if r.err = err; err == nil {
			r.baseline = earlier.Baseline()
			r.registry, r.err = registry.Parse(name, append(earlier.Format(), r.registry.Format()...))
			r.key += key
		}
	})
	return r
}

// known parses a registry of the task's module, and also returns a hash of its content.
func (m *planter) known(t *task, name string, text []byte) (*registry.Registry, string, error) {
	read, err := registry.Parse(name, text)
	if err != nil || t.Module == nil {
		return read, hashOf(string(text)), err
	}
	known := read.InModule(t.Module.Path, func(dir string) bool { return HasGoFiles(filepath.Join(t.root, filepath.FromSlash(dir))) })
	if known != read {
		text = known.Format()
	}
	return known, hashOf(string(text)), nil
}

// inRoot returns the slash-separated path of a file relative to root, or the
// path itself if it is elsewhere.
func inRoot(root, name string) string {
	if root != "" {
		if rel, err := filepath.Rel(root, name); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel)
		}
	}
	return filepath.ToSlash(name)
}
