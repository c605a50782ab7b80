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

// Options describe the build and how it is marked.
type Options struct {
	Command *CommandLine // go's command line
	Dir     string       // working directory, absolute
	Environ []string     // nil is the environment of the process

	// Configure returns the marking of the module, or the standard library, in root; it is called
	// once for each. If nil, only directives are marked.
	Configure func(root string) (Marking, error)

	MarkPackages []string // patterns as for -coverpkg; if empty, the main module or the workspace

	Deep bool // use the package runtime of a deep build, see package overlay/deep

	CacheDir string // "" for the default of OpenCache

	Progress func(done, total int) // called after each package, never concurrently; may be nil

	Stdin          io.Reader
	Stdout, Stderr io.Writer // passed to go and to the program
}

func (o *Options) environ() []string {
	if o.Environ == nil {
		return os.Environ()
	}
	return o.Environ
}

// A Build is a go command that is ready to run with marked source.
type Build struct {
	Stats Stats
	Notes []string // messages for the user, such as packages that -markpkg cannot mark

	o        Options
	command  *CommandLine // go's command line without flags below
	plain    *CommandLine // the user's command line
	flags    []string     // additional flags: -overlay, -modfile, -toolexec
	env      *goEnv
	dir      string   // directory go runs in
	environ  []string // environment of go
	cache    *Cache
	packages []*Package
	called   bool      // go runs its tools through markgen, see callTool
	origins  *origins  // of copied modules, see copyModules; nil if there are none
	recalled bool      // restored from a memo
	remarked bool      // the packages are from a memo, but were marked again
	state    string    // identifies the build and all source of it that can change; "" if unknown
	cover    *coverage // nil without -cover
}

// Command returns the user's command line, including GOFLAGS.
func (b *Build) Command() *CommandLine { return b.plain }

// Prepare lists the packages of a build, marks those that are selected, and writes the overlay. It
// writes no file outside the cache.
//
// Errors are of go (*GoError), of directives (rewrite.Errors, with file names as go would print
// them), or of the file system. A package that does not parse is no error: the compiler reports it.
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
	if b.isOff() {
		b.command = b.plain
		b.Notes = append(b.Notes, "-tags "+offTag+": nothing is marked")
		return b, nil
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
	marked, markings, err := b.mark(ctx, tasks, user)
	if err != nil {
		return nil, err
	}
	b.Stats.Runtime = slices.ContainsFunc(b.packages, func(p *Package) bool { return rt.IsPerf(p.ImportPath) })
	tablesAnnounced, err := b.announceTables(marked, user)
	if err != nil {
		return nil, err
	}
	fixed := maps.Clone(user)
	if err := b.addRuntime(fixed, b.compilerConfig(tasks), tablesAnnounced); err != nil {
		return nil, err
	}
	if o.Deep {
		if err := b.deepen(ctx, fixed, user); err != nil {
			return nil, err
		}
	}
	if len(marked) > 0 {
		if err := b.yieldProfile(fixed, marked); err != nil {
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
	name, toolFile, err := b.write(all, tasks)
	if err != nil {
		return nil, err
	}
	if key != "" && b.cover == nil && b.origins == nil && len(b.Stats.Skipped) == 0 {
		b.remember(key, start, tasks, fixed, all, user, name, toolFile, markings)
	}
	return b, b.handOver(name, toolFile)
}

// write writes the overlay file, and returns its path. If something is marked, it also writes the
// file for tools (see compiling); otherwise toolFile is "".
func (b *Build) write(all replacements, tasks []*task) (overlay, toolFile string, err error) {
	if overlay, err = b.cache.overlay(all.marshal()); err != nil {
		return "", "", err
	}
	if len(tasks) > 0 {
		if toolFile, err = b.compiling(tasks); err != nil {
			return "", "", err
		}
	}
	return overlay, toolFile, nil
}

// handOver adds the flags that make go use the files that write wrote.
func (b *Build) handOver(overlay, toolFile string) error {
	b.flags = append(b.flags, "-overlay="+overlay)
	if toolFile == "" {
		return nil
	}
	return b.callTool(toolFile, overlay)
}

// offTag is the build tag that compiles markers in the source to nothing.
const offTag = "markgen_off"

// isOff reports whether the build has that tag.
func (b *Build) isOff() bool {
	tags, _ := b.plain.Flag("tags")
	return slices.Contains(strings.FieldsFunc(tags, func(r rune) bool { return r == ',' || r == ' ' }), offTag)
}

// listOptions returns the options to list all packages of the build.
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

// tasks returns a task for each package to be marked or covered.
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

// newTask returns the task for a package, with the import path and root for the names of its
// markers.
func newTask(p *Package, env *goEnv) *task {
	t := &task{Package: p, dir: p.Dir, path: p.ImportPath}
	switch {
	case p.Standard:
		t.root = filepath.Join(env.GOROOT, "src")
	case p.Module != nil && p.Module.Dir != "" && within(p.Module.Dir, p.Dir) && !strings.Contains(p.Dir[len(p.Module.Dir):], "/vendor/"):
		t.root = p.Module.Dir
	case p.Module != nil:
		// Vendored: the module root is as far up as the import path extends beyond the module path.
		rel := strings.TrimPrefix(p.ImportPath, p.Module.Path)
		t.root = filepath.Clean(strings.TrimSuffix(p.Dir, filepath.FromSlash(rel)))
	default:
		t.root = p.Dir
	}
	if p.ImportPath == fileArguments && env.GOMOD != "" {
		// Files given by name: their markers are named by the package in their directory.
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

// fileArguments is the import path that go gives to files named on the command line.
const fileArguments = "command-line-arguments"

// mark marks the packages, in copies of dependencies where necessary. It returns the replacements
// of their files, and the key of each module's marking.
func (b *Build) mark(ctx context.Context, tasks []*task, user replacements) (replacements, map[string]string, error) {
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
	m := &planter{
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
	marked, stats, err := m.mark(ctx, tasks)
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

// SyntaxErrors returns all errors of source that does not parse, one per line, with the file names
// that go would print in dir; if dir is "", names are unchanged.
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

// shorten changes the file names in errors of directives to those that go would print.
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

// words returns the go command's arguments, including the flags of the build.
func (b *Build) words(verb string, packages []string, more ...string) []string {
	words := append([]string{verb}, b.flags...)
	words = append(words, more...)
	return append(words, b.command.Words(packages)...)
}

// String describes the build for -v.
func (s *Stats) String() string {
	return fmt.Sprintf("%s, %s of them marked anew, %s with markers", units.Plural(s.Packages, "package"), units.Count(uint64(s.Rewritten)), units.Plural(s.Files, "file"))
}
