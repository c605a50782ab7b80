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

// A memo is what preparing a build came to, kept so that the same build of the
// same source need not ask go list again. It holds as long as nothing has
// changed that go list and marking look at: the files in the directories of all
// packages that can change (not those of the module cache and the standard
// library), the directories that "..." patterns search, the files that configure
// go, and the environment. Files are compared by size, number and times, as
// make and git do.
//
// Where nothing has changed but what stands below the header of source files,
// the packages are the same, and are marked again without go list: all but a few
// of them are in the cache.
type memo struct {
	Env       *goEnv
	Overlay   string // the overlay file
	Told      string // what compiling wrote, or ""
	Packages  []*Package
	Stats     Stats
	Notes     []string
	Markings  map[string]string // by module root
	Marked    []*Package
	Fixed     replacements // those that are not of marked packages
	Embedded  []string     // source that is embedded
	Trees     []string     // directories that patterns search
	Dirs      []string     // of packages
	Files     []string
	Signature string                // of all these
	Frame     string                // of all these without what is in source files
	Sources   map[string]memoSource // the source files in Trees and Dirs, by path
	Texts     []string
}

// A memoSource is what a memo knows of a source file.
type memoSource struct {
	Signature string // its size, number and times
	Header    string // what sourceHeader said of it
}

// memoEnviron are the variables, besides those that begin with GO or CGO, that
// can change what go list says.
var memoEnviron = set("AR CC CXX FC HOME PATH PKG_CONFIG XDG_CONFIG_HOME USERPROFILE AppData")

// memoKey identifies the question: the same for the same command in the same
// directory and environment. It is "" if the answer cannot be kept.
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

// identity is where go is run, and what there is in the environment that can
// change what it makes.
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

// memoPatterns reports whether it is known which directories the patterns
// search.
func memoPatterns(patterns []string) bool {
	for _, p := range patterns {
		if p == "all" || p == "std" || p == "cmd" || p == "work" || p == "tool" || strings.Contains(p, "@") ||
			strings.Contains(p, "...") && !isLocal(p) {
			return false
		}
	}
	return true
}

// recall fills in the build from the memo kept under key, if it still holds, or
// if its packages are still the ones to be marked.
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
		texts = b.cached(m.Fixed) // the others are looked for when the packages are marked
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
	if tried.handOver(m.Overlay, m.Told) != nil {
		return false
	}
	tried.recalled = true
	tried.state = hashOf(key, m.Signature)
	*b = tried
	return true
}

// samePackages reports whether go list would say what it has said, though source
// files have changed.
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

// markAgain prepares the build with the packages of a memo. It is false where
// there is anything to be said about the source; that is left to the long way.
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
	marked, _, err := b.paint(ctx, tasks, user)
	if err != nil || b.origins != nil || len(b.Stats.Skipped) > 0 {
		return false
	}
	if told, err := b.tellLast(marked, user); err != nil || told != (m.Fixed[b.inGoroot(lastFile)] != "") {
		return false
	}
	all := m.Fixed.with(marked)
	if b.cache.tellEmbedded(all, user, m.Embedded) != nil {
		return false
	}
	overlay, told, err := b.write(all, tasks)
	if err != nil || b.handOver(overlay, told) != nil {
		return false
	}
	b.repainted = true
	b.Stats.Runtime = m.Stats.Runtime // no import has changed, or the memo would not hold
	m.Overlay, m.Told, m.Stats = overlay, told, b.Stats
	b.keep(m, all, key, start)
	return true
}

// remember makes a memo of the build, which was begun at start, for recall.
func (b *Build) remember(key string, start time.Time, tasks []*task, fixed, all, user replacements, overlay, told string, markings map[string]string) {
	m := &memo{Env: b.env, Overlay: overlay, Told: told, Packages: b.named(), Stats: b.Stats, Notes: b.Notes, Markings: markings, Fixed: fixed, Embedded: embeddedSource(b.packages)}
	for _, p := range b.packages {
		if p.Error != nil {
			return // it may be looked for anywhere
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

// keep writes a memo that lacks but the state of what it depends on, unless that
// has changed since start or so shortly before that the next change might not be
// seen in its time.
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
		return // the headers may be those of later files
	}
	m.Signature, m.Frame, m.Sources = state.signature, state.frame, sources
	m.Texts = b.cached(all)
	if m.Told != "" {
		config, err := b.cache.text(coverConfig(), ".json")
		if err != nil {
			return
		}
		m.Texts = append(m.Texts, m.Told, config)
	}
	slices.Sort(m.Texts)
	m.Texts = slices.Compact(m.Texts)
	b.state = hashOf(key, m.Signature)
	if text, err := json.Marshal(m); err == nil {
		_ = b.cache.write(b.cache.memoPath(key), text) // only makes the next build slower
	}
}

// cached are the texts of the cache among replacements.
func (b *Build) cached(r replacements) (texts []string) {
	for _, to := range r {
		if within(b.cache.dir, to) {
			texts = append(texts, to)
		}
	}
	return texts
}

// settings are the files that tell go where it is and what it shall do.
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
	for dir := b.dir; ; dir = filepath.Dir(dir) { // also where there is none yet
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

// timeStep is more than the step in which any file system counts the times of
// files that are in use. (FAT's two seconds hold for modification times alone.)
const timeStep = time.Second

// A memoState is the state of all that a memo depends on.
type memoState struct {
	signature string            // of everything
	frame     string            // of everything but what is in source files
	sources   map[string]string // the signatures of these, by path
	newest    time.Time         // the last change
}

// look finds out the state of what the memo depends on.
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
			case e.Name() == "go.mod": // what is below is another module's
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
