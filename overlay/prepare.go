package overlay

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/rewrite"
	rt "github.com/markgen/markgen/runtime"
	"github.com/markgen/markgen/units"
)

// Options say what is to be built and how it is to be marked.
type Options struct {
	Command *CommandLine // what go is asked to do
	Dir     string       // working directory, absolute
	Environ []string     // nil is the process's own environment

	// Configure says what is marked in the module, or the standard library, in
	// root; it is called once for each. Nil marks what directives ask for.
	Configure func(root string) (Marking, error)

	MarkPackages []string // patterns as of -coverpkg; none: the main module's or the workspace's

	Deep bool // package runtime keeps account of each goroutine, see package overlay/deep

	CacheDir string // "" is what OpenCache has for it

	Progress func(done, total int) // called after each package, one call at a time; nil for none

	Stdin          io.Reader
	Stdout, Stderr io.Writer // given to go and to the program as they are
}

func (o *Options) environ() []string {
	if o.Environ == nil {
		return os.Environ()
	}
	return o.Environ
}

// A Build is a go command that is ready to be run with marked source.
type Build struct {
	Stats Stats
	Notes []string // for people: what -markpkg does not do

	o         Options
	command   *CommandLine // what go gets, save the flags
	plain     *CommandLine // what the user wrote
	flags     []string     // -overlay, -modfile, -toolexec
	env       *goEnv
	dir       string   // where go runs
	environ   []string // go's environment
	cache     *Cache
	packages  []*Package
	called    bool      // go calls its tools through markgen, see callTool
	origins   *origins  // of modules that were copied, see copyModules; nil: none was
	recalled  bool      // from a memo
	repainted bool      // the packages are from a memo, and were marked anew
	state     string    // identifies the build and all source of it that can change; "" if that is not known
	cover     *coverage // nil without -cover
}

// Command is the command line as the user wrote it, with what GOFLAGS adds.
func (b *Build) Command() *CommandLine { return b.plain }

// Prepare lists the packages of a build, marks those that are to be marked and
// writes the overlay. No file outside the cache is written.
//
// Errors are go's own (*GoError), those of directives (rewrite.Errors, with
// file names as go would show them), or of the file system. A package that does
// not parse is no error: it is left to the compiler.
func Prepare(ctx context.Context, o Options) (*Build, error) {
	start := time.Now()
	if o.Configure == nil {
		o.Configure = func(string) (Marking, error) { return Marking{}, nil }
	}
	b := &Build{o: o, dir: absolute(o.Dir, o.Command.Dir), environ: o.environ()}
	var err error
	if b.cache, err = OpenCache(ctx, o.CacheDir, o.Environ); err != nil {
		return nil, err
	}
	key := ""
	if !o.Command.covers() {
		if key = b.memoKey(); key != "" && b.recall(ctx, key, start) {
			return b, nil
		}
	}
	if b.env, err = readGoEnv(ctx, b.dir, o.Environ); err != nil {
		return nil, err
	}
	if err := b.moveGoroot(); err != nil {
		return nil, err
	}
	if b.plain, err = o.Command.withDefaults(b.env.GOFLAGS); err != nil {
		return nil, err
	}
	if err := b.takeCoverage(); err != nil {
		return nil, err
	}
	list := b.listOptions()
	if b.packages, err = List(ctx, list); err != nil {
		return nil, err
	}
	chosen, err := choose(ctx, b.packages, "-markpkg", o.MarkPackages, list)
	if err != nil {
		return nil, err
	}
	b.Notes = append(b.Notes, chosen.notes...)
	tasks, err := b.tasks(ctx, chosen.packages)
	if err != nil {
		return nil, err
	}
	overlayFlag, _ := b.plain.Flag("overlay")
	user, err := readReplacements(overlayFlag, b.dir)
	if err != nil {
		return nil, err
	}
	marked, markings, err := b.paint(ctx, tasks, user)
	if err != nil {
		return nil, err
	}
	b.Stats.Runtime = slices.ContainsFunc(b.packages, func(p *Package) bool { return rt.IsPerf(p.ImportPath) })
	lastTold, err := b.tellLast(marked, user)
	if err != nil {
		return nil, err
	}
	fixed := maps.Clone(user)
	if err := b.addRuntime(fixed, b.told(tasks), lastTold); err != nil {
		return nil, err
	}
	if o.Deep {
		if err := b.deepen(ctx, fixed, user); err != nil {
			return nil, err
		}
	}
	if err := b.handOn(fixed); err != nil {
		return nil, err
	}
	all := fixed.with(marked)
	if b.cover != nil {
		b.cover.user = user
		if err := b.cover.plant(all, b); err != nil {
			return nil, err
		}
	}
	if err := b.cache.tellEmbedded(all, user, embeddedSource(b.packages)); err != nil {
		return nil, err
	}
	name, told, err := b.write(all, tasks)
	if err != nil {
		return nil, err
	}
	if key != "" && b.cover == nil && b.origins == nil && len(b.Stats.Skipped) == 0 {
		b.remember(key, start, tasks, fixed, all, user, name, told, markings)
	}
	return b, b.handOver(name, told)
}

// write writes the overlay file, and what compiling writes where something is marked,
// else told is "".
func (b *Build) write(all replacements, tasks []*task) (overlay, told string, err error) {
	if overlay, err = b.cache.overlay(all.marshal()); err != nil {
		return "", "", err
	}
	if len(tasks) > 0 {
		if told, err = b.compiling(tasks); err != nil {
			return "", "", err
		}
	}
	return overlay, told, nil
}

// handOver adds the flags by which go takes what write has written.
func (b *Build) handOver(overlay, told string) error {
	b.flags = append(b.flags, "-overlay="+overlay)
	if told == "" {
		return nil
	}
	return b.callTool(told, overlay)
}

// listOptions lists all that the build is made of.
func (b *Build) listOptions() ListOptions {
	return ListOptions{
		Dir:        b.dir,
		Environ:    b.environ,
		Patterns:   b.plain.Packages(),
		BuildFlags: b.plain.BuildFlags(),
		Deps:       true,
		Tests:      b.plain.Verb == "test",
	}
}

// tasks turns the packages to be marked, and those to be covered, into tasks.
func (b *Build) tasks(ctx context.Context, marked []*Package) ([]*task, error) {
	var tasks []*task
	byPackage := map[*Package]*task{}
	task := func(p *Package) *task {
		t := byPackage[p]
		if t == nil {
			t = newTask(p, b.env)
			t.tests = b.plain.Verb == "test" && !p.DepOnly
			byPackage[p] = t
			tasks = append(tasks, t)
		}
		return t
	}
	for _, p := range marked {
		task(p).mark = true
	}
	if b.cover != nil {
		covered, err := b.cover.choose(ctx, b)
		if err != nil {
			return nil, err
		}
		for _, p := range covered {
			t := task(p)
			t.cover = true
			b.cover.packages = append(b.cover.packages, t)
		}
	}
	return tasks, nil
}

// newTask works out by which names the markers of a package go.
func newTask(p *Package, env *goEnv) *task {
	t := &task{Package: p, dir: p.Dir, path: p.ImportPath}
	switch {
	case p.Standard:
		t.root = filepath.Join(env.GOROOT, "src")
	case p.Module != nil && p.Module.Dir != "" && within(p.Module.Dir, p.Dir) && !strings.Contains(p.Dir[len(p.Module.Dir):], "/vendor/"):
		t.root = p.Module.Dir
	case p.Module != nil:
		// Vendored: the module's root is as far above as the import path goes on.
		rel := strings.TrimPrefix(p.ImportPath, p.Module.Path)
		t.root = filepath.Clean(strings.TrimSuffix(p.Dir, filepath.FromSlash(rel)))
	default:
		t.root = p.Dir
	}
	if p.ImportPath == fileArguments && env.GOMOD != "" {
		// Files given by name: their markers are those of the package they are part of.
		root := filepath.Dir(env.GOMOD)
		if text, err := fileread.File(env.GOMOD); err == nil && within(root, p.Dir) {
			t.root = root
			t.path = modfile.ModulePath(text)
			if rel := inRoot(root, p.Dir); rel != "." {
				t.path += "/" + rel
			}
		}
	}
	return t
}

// fileArguments is the import path go gives to files named on the command line.
const fileArguments = "command-line-arguments"

// paint marks the packages, copies of dependencies where need be, and returns
// the replacements of their files, and how each module was marked.
func (b *Build) paint(ctx context.Context, tasks []*task, user replacements) (replacements, map[string]string, error) {
	copies, err := copyModules(b.cache, tasks, b.env.GOMODCACHE)
	if err != nil {
		return nil, nil, err
	}
	b.origins = originsOf(b.cache, copies, b.env.GOMODCACHE)
	if len(copies) > 0 {
		modFlag, _ := b.plain.Flag("modfile")
		flag, work, err := replaceModules(b.cache, copies, b.env, b.dir, modFlag)
		if err != nil {
			return nil, nil, err
		}
		if flag != "" {
			b.command = b.command.Without("modfile")
			b.flags = append(b.flags, flag)
		} else {
			b.environ = setenv(b.environ, "GOWORK", work)
		}
	}
	m := &painter{
		cache:     b.cache,
		user:      user,
		configure: b.o.Configure,
		inline:    inlinable(b.env.GOARCH),
		main:      b.hooks(),
		goVersion: b.env.GOVERSION,
		workers:   2,
		dir:       b.o.Dir,
		progress:  b.o.Progress,
		memory:    newMemory(),
	}
	marked, stats, err := m.paint(ctx, tasks)
	if err != nil {
		return nil, nil, shorten(err, b.o.Dir)
	}
	b.Stats = *stats
	markings := map[string]string{}
	for dir, root := range m.roots {
		markings[dir] = root.marking.words()
	}
	return marked, markings, nil
}

// SyntaxErrors lists all errors of source that does not parse, one a line, with the file names that go would show
// in dir; "" leaves them as they are.
func SyntaxErrors(list scanner.ErrorList, dir string) error {
	lines := make([]error, len(list))
	for i, e := range list {
		if dir != "" {
			e.Pos.Filename = relativeTo(dir, e.Pos.Filename)
		}
		lines[i] = e
	}
	return errors.Join(lines...)
}

// shorten gives the errors of directives the file names that go would show.
func shorten(err error, dir string) error {
	errs, ok := err.(rewrite.Errors)
	if !ok {
		return err
	}
	for _, e := range errs {
		e.Pos.Filename = relativeTo(dir, e.Pos.Filename)
	}
	return errs
}

// words returns the go command's arguments with the flags of the build.
func (b *Build) words(verb string, packages []string, more ...string) []string {
	words := append([]string{verb}, b.flags...)
	words = append(words, more...)
	return append(words, b.command.Words(packages)...)
}

// String describes the build for -v.
func (s *Stats) String() string {
	return fmt.Sprintf("%s, %s of them marked anew, %s with markers", units.Plural(s.Packages, "package"), units.Count(uint64(s.Rewritten)), units.Plural(s.Files, "file"))
}
