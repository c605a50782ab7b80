package overlay

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/registry"
)

// A memo is the result of preparing a build, kept so that the same build of the same source need
// not run go list again. It is valid as long as nothing has changed that go list and marking look
// at: the files in the directories of all packages that can change (not those of the module cache
// and the standard library), the directories that "..." patterns search, go's configuration files,
// and the environment. Files are compared by size, inode and times, as make and git do.
//
// If only the parts of source files below the header have changed, the packages are the same. They
// are then marked again without go list; most of them are in the cache.
type memo struct {
	Env       *goEnv
	Overlay   string // path of the overlay file
	ToolFile  string // path of the file that compiling wrote, or ""
	Packages  []*Package
	Stats     Stats
	Notes     []string
	Markings  map[string]string // keys of markings by module root
	Marked    []*Package
	Fixed     replacements // replacements that are not of marked packages
	Embedded  []string     // embedded source files
	Trees     []string     // directories that patterns search
	Dirs      []string     // directories of packages
	Files     []string
	Signature string                // of everything above
	Frame     string                // of everything above except the content of source files
	Sources   map[string]memoSource // source files in Trees and Dirs, by path
	Texts     []string
}

// A memoSource describes a source file in a memo.
type memoSource struct {
	Signature string // size, inode and times
	Header    string // result of sourceHeader
}

// memoEnviron are the variables, besides those that begin with GO or CGO, that can change the
// output of go list.
var memoEnviron = set("AR CC CXX FC HOME PATH PKG_CONFIG XDG_CONFIG_HOME USERPROFILE AppData")

// memoKey identifies the build by its command line, directory and environment. It is "" if the
// result cannot be kept.
func (b *Build) memoKey() string {
	if !memoPatterns(b.o.Command.Packages()) {
		return ""
	}
	goTool := lookGo(b.environ)
	info, err := os.Stat(goTool)
	if err != nil {
		return ""
	}
	h := newHasher()
	h.words(formatVersion, b.cache.key, b.o.Command.Verb, goTool, signature(info))
	h.words(b.o.Command.withoutArgs(b.o.Command.Verb).Words(nil)...)
	h.words("markpkg")
	h.words(b.o.MarkPackages...)
	h.words(b.identity()...)
	return h.String()
}

// identity returns the directory and the environment in which go runs, as far as they can change
// the build.
func (b *Build) identity() []string {
	words := []string{"environment of", b.dir, b.o.Dir, strconv.FormatBool(b.o.Deep)}
	var environ []string
	for _, kv := range b.o.environ() {
		key, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(key, "GO") || strings.HasPrefix(key, "CGO") || memoEnviron[key] {
			environ = append(environ, kv)
		}
	}
	slices.Sort(environ)
	return append(words, environ...)
}

// memoPatterns reports whether the directories that the patterns search are known.
func memoPatterns(patterns []string) bool {
	for _, p := range patterns {
		if p == "all" || p == "std" || p == "cmd" || p == "work" || p == "tool" || strings.Contains(p, "@") ||
			strings.Contains(p, "...") && !isLocal(p) {
			return false
		}
	}
	return true
}

// recall sets up the build from the memo stored under key, if it is still valid, or if its packages
// need only be marked again.
func (b *Build) recall(ctx context.Context, key string, start time.Time) bool {
	text, err := fileread.File(b.cache.memoPath(key))
	if err != nil {
		return false
	}
	m := new(memo)
	if json.Unmarshal(text, m) != nil {
		return false
	}
	for root, want := range m.Markings {
		marking, err := b.o.Configure(root)
		if err != nil || marking.words() != want {
			return false
		}
	}
	plain, err := b.o.Command.withDefaults(m.Env.GOFLAGS)
	if err != nil {
		return false
	}
	now := m.look()
	same := now.signature == m.Signature
	if !same && !m.samePackages(now) {
		return false
	}
	texts := append(m.Texts, m.Overlay)
	if !same {
		texts = b.cached(m.Fixed) // the other texts are looked up when the packages are marked
	}
	for _, path := range texts {
		if !inUse(path) {
			return false
		}
	}
	inUse(b.cache.memoPath(key))
	tried := *b
	tried.env, tried.plain, tried.packages, tried.Notes = m.Env, plain, m.Packages, m.Notes
	tried.command = plain.Without("overlay")
	if tried.moveGoroot() != nil {
		return false
	}
	if !same {
		if !tried.markAgain(ctx, m, key, start) {
			return false
		}
		*b = tried
		return true
	}
	tried.Stats = m.Stats
	tried.Stats.Rewritten = 0
	if tried.handOver(m.Overlay, m.ToolFile) != nil {
		return false
	}
	tried.recalled = true
	tried.state = hashOf(key, m.Signature)
	*b = tried
	return true
}

// samePackages reports whether go list would give the same output, although source files have
// changed.
func (m *memo) samePackages(now *memoState) bool {
	if now.frame != m.Frame {
		return false
	}
	for path, signature := range now.sources {
		was := m.Sources[path]
		if signature == was.Signature {
			continue
		}
		text, err := fileread.File(path)
		if err != nil || was.Header == "" || sourceHeader(text) != was.Header {
			return false
		}
	}
	return true
}

// markAgain prepares the build with the packages of a memo. It returns false if there are errors or
// notes about the source, which are left to a full preparation.
func (b *Build) markAgain(ctx context.Context, m *memo, key string, start time.Time) bool {
	tasks, err := b.tasks(ctx, m.Marked)
	if err != nil {
		return false
	}
	overlayFlag, _ := b.plain.Flag("overlay")
	user, err := readReplacements(overlayFlag, b.dir)
	if err != nil {
		return false
	}
	marked, _, err := b.mark(ctx, tasks, user)
	if err != nil || b.origins != nil || len(b.Stats.Skipped) > 0 {
		return false
	}
	if announced, err := b.announceTables(marked, user); err != nil || announced != (m.Fixed[b.inGoroot(lastFile)] != "") {
		return false
	}
	all := m.Fixed.with(marked)
	if b.cache.tellEmbedded(all, user, m.Embedded) != nil {
		return false
	}
	overlay, toolFile, err := b.write(all, tasks)
	if err != nil || b.handOver(overlay, toolFile) != nil {
		return false
	}
	b.remarked = true
	b.Stats.Runtime = m.Stats.Runtime // no import has changed, or the memo would be invalid
	m.Overlay, m.ToolFile, m.Stats = overlay, toolFile, b.Stats
	b.keep(m, all, key, start)
	return true
}

// remember stores a memo of the build, which began at start, for recall.
func (b *Build) remember(key string, start time.Time, tasks []*task, fixed, all, user replacements, overlay, toolFile string, markings map[string]string) {
	m := &memo{Env: b.env, Overlay: overlay, ToolFile: toolFile, Packages: b.named(), Stats: b.Stats, Notes: b.Notes, Markings: markings, Fixed: fixed, Embedded: embeddedSource(b.packages)}
	for _, p := range b.packages {
		if p.Error != nil {
			return // go may search for it anywhere
		}
		if !p.Standard && !within(b.env.GOMODCACHE, p.Dir) {
			m.Dirs = append(m.Dirs, p.Dir)
		}
	}
	for _, t := range tasks {
		m.Dirs = append(m.Dirs, t.Dir)
		m.Marked = append(m.Marked, t.Package)
	}
	for _, p := range b.plain.Packages() {
		if before, _, ok := strings.Cut(p, "..."); ok {
			if !strings.HasSuffix(before, "/") {
				before = filepath.Dir(before)
			}
			m.Trees = append(m.Trees, absolute(b.dir, before))
		}
	}
	m.Files = b.settings()
	for root := range markings {
		if root != "" {
			m.Files = append(m.Files, filepath.Join(root, registry.FileName), filepath.Join(root, "vendor", "modules.txt"))
		}
	}
	for from, to := range user {
		m.Files = append(m.Files, from)
		if to != "" {
			m.Files = append(m.Files, to)
		}
	}
	for _, list := range []*[]string{&m.Trees, &m.Dirs, &m.Files} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	b.keep(m, all, key, start)
}

// keep completes a memo with the state of its dependencies and writes it. It does not if they have
// changed since start, or so shortly before that the file times might not show the next change.
func (b *Build) keep(m *memo, all replacements, key string, start time.Time) {
	state := m.look()
	if state.newest.After(start.Add(-timeStep)) {
		return
	}
	sources := make(map[string]memoSource, len(state.sources))
	for path, signature := range state.sources {
		source := m.Sources[path]
		if source.Signature != signature {
			source = memoSource{Signature: signature}
			if text, err := fileread.File(path); err == nil {
				source.Header = sourceHeader(text)
			}
		}
		sources[path] = source
	}
	if m.look().signature != state.signature {
		return // the headers may be of newer versions of the files
	}
	m.Signature, m.Frame, m.Sources = state.signature, state.frame, sources
	m.Texts = b.cached(all)
	if m.ToolFile != "" {
		config, err := b.cache.text(coverConfig(), ".json")
		if err != nil {
			return
		}
		m.Texts = append(m.Texts, m.ToolFile, config)
	}
	slices.Sort(m.Texts)
	m.Texts = slices.Compact(m.Texts)
	b.state = hashOf(key, m.Signature)
	if text, err := json.Marshal(m); err == nil {
		_ = b.cache.write(b.cache.memoPath(key), text) // failing only makes the next build slower
	}
}

// cached returns those replacement texts that are in the cache.
func (b *Build) cached(r replacements) (texts []string) {
	for _, to := range r {
		if within(b.cache.dir, to) {
			texts = append(texts, to)
		}
	}
	return texts
}

// settings returns the files that configure go and the modules of the build.
func (b *Build) settings() []string {
	var files []string
	modFile, _ := b.plain.Flag("modfile")
	overlayFile, _ := b.plain.Flag("overlay")
	for _, name := range []string{modFile, overlayFile, b.env.GOMOD, b.env.GOWORK, b.env.GOENV,
		filepath.Join(b.env.GOROOT, "go.env"), filepath.Join(b.env.GOROOT, "VERSION")} {
		if name != "" && name != "off" {
			files = append(files, absolute(b.dir, name))
		}
	}
	for dir := b.dir; ; dir = filepath.Dir(dir) { // also where there is no such file yet
		files = append(files, filepath.Join(dir, "go.mod"), filepath.Join(dir, "go.work"))
		if dir == filepath.Dir(dir) {
			break
		}
	}
	for _, p := range b.packages {
		if p.Module != nil && p.Module.GoMod != "" && !within(b.env.GOMODCACHE, p.Module.GoMod) {
			files = append(files, p.Module.GoMod)
		}
	}
	if text, err := fileread.File(b.env.GOWORK); err == nil {
		if work, err := modfile.ParseWork(b.env.GOWORK, text, nil); err == nil {
			for _, u := range work.Use {
				files = append(files, filepath.Join(absolute(filepath.Dir(b.env.GOWORK), u.Path), "go.mod"))
			}
		}
	}
	return files
}

// timeStep is more than the resolution of file times of any file system for files in use. (FAT's
// two seconds apply only to modification times.)
const timeStep = time.Second

// A memoState is the state of everything that the memo depends on.
type memoState struct {
	signature string            // of everything
	frame     string            // of everything except the content of source files
	sources   map[string]string // signatures of source files by path
	newest    time.Time         // time of the last change
}

// look determines the current state of everything that the memo depends on.
func (m *memo) look() *memoState {
	s := &memoState{sources: map[string]string{}}
	whole, frame := newHasher(), newHasher()
	file := func(path string, source bool) {
		info, err := os.Stat(path)
		if err != nil {
			whole.words(path, "none")
			frame.words(path, "none")
			return
		}
		state := signature(info)
		whole.words(path, state)
		if source {
			frame.words(path)
			s.sources[path] = state
		} else {
			frame.words(path, state)
		}
		for _, t := range []time.Time{info.ModTime(), changed(info)} {
			if t.After(s.newest) {
				s.newest = t
			}
		}
	}
	dir := func(path string) []fs.DirEntry {
		entries, _ := os.ReadDir(path)
		whole.words("dir", path)
		frame.words("dir", path)
		for _, e := range entries {
			switch {
			case strings.HasSuffix(e.Name(), ".go"):
				file(filepath.Join(path, e.Name()), true)
			case e.Name() == "go.mod": // directories below belong to another module
				file(filepath.Join(path, e.Name()), false)
			}
		}
		return entries
	}
	var tree func(path string)
	tree = func(path string) {
		for _, e := range dir(path) {
			if name := e.Name(); e.IsDir() && name[0] != '.' && name[0] != '_' && name != "testdata" {
				tree(filepath.Join(path, name))
			}
		}
	}
	for _, path := range m.Trees {
		tree(path)
	}
	for _, path := range m.Dirs {
		dir(path)
	}
	for _, path := range m.Files {
		file(path, false)
	}
	s.signature, s.frame = whole.String(), frame.String()
	return s
}

func (c *Cache) memoPath(key string) string { return filepath.Join(c.dir, "memo", key[:2], key) }
