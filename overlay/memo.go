package overlay

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/registry"
)

// A memo is what preparing a build came to, kept so that the same build of the
// same source need not ask go list again. It holds as long as nothing has
// changed that go list and marking look at: the files in the directories of all
// packages that can change (not those of the module cache and the standard
// library), the directories that "..." patterns search, the files that configure
// go, and the environment. Files are compared by size, number and times, as
// make and git do.
type memo struct {
	Env       *goEnv
	Overlay   string // the overlay file
	Inlined   string // the list of keepInlining, or ""
	Packages  []*Package
	Stats     Stats
	Notes     []string
	Markings  map[string]string // by module root
	Trees     []string          // directories that patterns search
	Dirs      []string          // of packages
	Files     []string
	Signature string // of all these
	Texts     []string
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
	words := []string{"environment of", b.dir, b.o.Dir}
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

// recall fills in the build from the memo kept under key, if it still holds.
func (b *Build) recall(key string) bool {
	text, err := os.ReadFile(b.cache.memoPath(key))
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
	if now, _ := m.sign(); now != m.Signature {
		return false
	}
	for _, path := range append(m.Texts, m.Overlay) {
		if !b.cache.fresh(path) {
			return false
		}
	}
	b.cache.fresh(b.cache.memoPath(key))
	plain, err := b.o.Command.withDefaults(m.Env.GOFLAGS)
	if err != nil {
		return false
	}
	b.env, b.plain, b.packages, b.Stats, b.Notes = m.Env, plain, m.Packages, m.Stats, m.Notes
	b.Stats.Rewritten = 0
	b.command = plain.Without("overlay")
	b.flags = []string{"-overlay=" + m.Overlay}
	if m.Inlined != "" && b.callTool(m.Inlined) != nil {
		return false
	}
	b.recalled = b.moveGoroot() == nil
	b.state = hashOf(key, m.Signature)
	return b.recalled
}

// remember keeps a memo of the build, which was begun at start, for recall.
func (b *Build) remember(key string, start time.Time, tasks []*task, all, user replacements, overlay, inlined string, markings map[string]string) {
	m := &memo{Env: b.env, Overlay: overlay, Inlined: inlined, Packages: b.named(), Stats: b.Stats, Notes: b.Notes, Markings: markings}
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
	for _, to := range all {
		if within(b.cache.dir, to) {
			m.Texts = append(m.Texts, to)
		}
	}
	if inlined != "" {
		m.Texts = append(m.Texts, inlined)
		if text, err := os.ReadFile(inlined); err == nil {
			config, _, _ := strings.Cut(string(text), "\n")
			m.Texts = append(m.Texts, config)
		}
	}
	for _, list := range []*[]string{&m.Trees, &m.Dirs, &m.Files, &m.Texts} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	var newest time.Time
	m.Signature, newest = m.sign()
	if newest.After(start.Add(-timeStep)) {
		return // the next change might not be seen in its time
	}
	b.state = hashOf(key, m.Signature)
	if text, err := json.Marshal(m); err == nil {
		_ = b.cache.write(b.cache.memoPath(key), text) // only makes the next build slower
	}
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
	if text, err := os.ReadFile(b.env.GOWORK); err == nil {
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

// sign returns a hash of the state of all that the memo depends on, and the
// time of the last change among it.
func (m *memo) sign() (string, time.Time) {
	h := newHasher()
	var newest time.Time
	file := func(path string) {
		info, err := os.Stat(path)
		if err != nil {
			h.words(path, "none")
			return
		}
		h.words(path, signature(info))
		for _, t := range []time.Time{info.ModTime(), changed(info)} {
			if t.After(newest) {
				newest = t
			}
		}
	}
	dir := func(path string) []fs.DirEntry {
		entries, _ := os.ReadDir(path)
		h.words("dir", path)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") {
				file(filepath.Join(path, e.Name()))
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
		file(path)
	}
	return h.String(), newest
}

func (c *Cache) memoPath(key string) string { return filepath.Join(c.dir, "memo", key[:2], key) }
