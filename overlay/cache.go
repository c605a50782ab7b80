package overlay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/environ"
)

// A Cache is a directory of marked source and other results of builds. As in go's own build cache,
// most entries are either contents, or results by a key:
//
//	text/ab/SHA256.go   a marked file, named by its content
//	mark/ab/KEY         the marked files of a package whose inputs hash to KEY
//	overlay/ab/KEY.json the overlay file of a build
//	memo/ab/KEY         the result of preparing a build
//	program/KEY         a program that was run
//	archive/ab/SLOT     the compiler's last archive of a package
//	module/PATH@VERSION the copy of a dependency that was marked
//	modfile/KEY         the go.mod or go.work that names such copies
//	self/KEY            the hash of a markgen executable
//	goroot/KEY          a link to a toolchain that go has downloaded
//	run                 work directories of running processes
//
// Files are written under a temporary name and renamed, so any number of processes may use one
// cache at once, and a file that exists is complete. Entries that were not used for a few days are
// removed.
type Cache struct {
	dir string
	key string // identifies the markgen executable

	mu   sync.Mutex
	seen map[string]bool // texts known to exist
}

// OpenCache returns the cache in dir, which is created on the first write. If dir is "", it is the
// directory in environ's MARKGENCACHE, or else the directory markgen in the user's cache directory
// or, if that is not writable, in go's GOCACHE; that is created at once to find out.
func OpenCache(ctx context.Context, dir string, environ []string) (*Cache, error) {
	if dir == "" {
		dir = getenv(environ, "MARKGENCACHE")
	}
	if dir == "" {
		var err error
		if dir, err = defaultCache(ctx, environ); err != nil {
			return nil, fmt.Errorf("no directory for marked source: %w; set MARKGENCACHE to one that can be written to", err)
		}
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("MARKGENCACHE=%s is not an absolute path; make it one", dir)
	}
	c := &Cache{dir: dir, seen: map[string]bool{}}
	key, err := c.programKey()
	if err != nil {
		return nil, err
	}
	c.key = key
	c.trim(time.Now())
	return c, nil
}

// defaultCache returns the directory of the cache if MARKGENCACHE is not set. In a container the
// user often has no home directory, or one that is not writable: then go needs GOCACHE to be set,
// too, and go clean leaves other directories in it alone.
func defaultCache(ctx context.Context, environ []string) (dir string, err error) {
	base, err := userCacheDir(environ)
	if err == nil {
		dir = filepath.Join(base, "markgen")
		if err = tryWriting(dir); err == nil {
			return dir, nil
		}
	}
	if out, goErr := goOutput(ctx, "", environ, "env", "GOCACHE"); goErr == nil {
		if base = strings.TrimSpace(string(out)); filepath.IsAbs(base) {
			dir = filepath.Join(base, "markgen")
			err = tryWriting(dir)
		}
	}
	return dir, err
}

// tryWriting creates a directory, and creates and removes a file in it.
func tryWriting(dir string) error {
	f, err := createBeside(filepath.Join(dir, "try"), 0o666)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// userCacheDir is os.UserCacheDir for the environment environ; nil means the process's own.
func userCacheDir(environ []string) (string, error) {
	if environ == nil {
		return os.UserCacheDir()
	}
	if dir := getenv(environ, "XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return dir, nil
	}
	if home := getenv(environ, "HOME"); home != "" && os.PathSeparator == '/' {
		if _, err := os.Stat(filepath.Join(home, "Library", "Caches")); err == nil {
			return filepath.Join(home, "Library", "Caches"), nil
		}
		return filepath.Join(home, ".cache"), nil
	}
	return os.UserCacheDir()
}

// programKey identifies the running program by a hash of its content, which is computed once for
// each executable and stored under its size and times.
func (c *Cache) programKey() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(exe)
	if err != nil {
		return "", err
	}
	name := filepath.Join(c.dir, "self", hashOf(exe, strconv.FormatInt(info.Size(), 10), signature(info)))
	if text, err := fileread.File(name); err == nil && len(text) == 2*sha256.Size {
		return string(text), nil
	}
	key, err := fileread.Hash(exe)
	if err != nil {
		return "", err
	}
	return key, c.write(name, []byte(key))
}

// text stores text and returns its path in the cache.
func (c *Cache) text(text []byte, ext string) (string, error) {
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:]) + ext
	path := c.textPath(name)
	c.mu.Lock()
	known := c.seen[name]
	c.seen[name] = true
	c.mu.Unlock()
	if known || inUse(path) {
		return path, nil
	}
	if err := c.write(path, text); err != nil {
		return "", err
	}
	used(path, time.Now())
	return path, nil
}

func (c *Cache) textPath(name string) string {
	return filepath.Join(c.dir, "text", name[:2], name)
}

// archives returns the directory of compileAgain's archives.
func (c *Cache) archives() string { return filepath.Join(c.dir, "archive") }

// overlay stores an overlay file and returns its path.
func (c *Cache) overlay(text []byte) (string, error) {
	key := hashOf(string(text))
	path := filepath.Join(c.dir, "overlay", key[:2], key+".json")
	if inUse(path) {
		return path, nil
	}
	return path, c.write(path, text)
}

// entry returns the value stored under key; ok is false if there is none or if a text that it names
// is gone. The entry is a list of lines "TEXTNAME FILENAME".
func (c *Cache) entry(key string) (files []markedFile, ok bool) {
	path := filepath.Join(c.dir, "mark", key[:2], key)
	text, err := fileread.File(path)
	if err != nil || !bytes.HasSuffix(text, []byte("end\n")) {
		return nil, false
	}
	for line := range strings.Lines(strings.TrimSuffix(string(text), "end\n")) {
		name, file, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !ok || len(name) < 2 || !inUse(c.textPath(name)) {
			return nil, false
		}
		files = append(files, markedFile{name: file, text: c.textPath(name)})
	}
	inUse(path)
	return files, true
}

// setEntry stores an entry.
func (c *Cache) setEntry(key string, files []markedFile) error {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s\n", filepath.Base(f.text), f.name)
	}
	b.WriteString("end\n")
	return c.write(filepath.Join(c.dir, "mark", key[:2], key), []byte(b.String()))
}

// Entries are marked as used at most once an hour, and removed when they were not used for five
// days; the cache is searched for such entries at most once a day.
const (
	touchEvery = time.Hour
	trimEvery  = 24 * time.Hour
	dropAfter  = 5 * 24 * time.Hour
)

// inUse reports whether a file of the cache exists, and marks it as used.
func inUse(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if now := time.Now(); now.Sub(info.ModTime()) > touchEvery {
		used(path, now)
	}
	return true
}

// used marks a file of the cache as used; if that fails, the file is just removed earlier. The time
// is set ten seconds back: go makes no index of a package that has a file younger than two seconds
// (cmd/go/internal/modindex, modTimeCutoff), and up to Go 1.25 only the index lets it find a
// package of GOROOT that exists only in the overlay.
func used(path string, now time.Time) {
	now = now.Add(-10 * time.Second)
	_ = os.Chtimes(path, now, now)
}

// trim removes entries that have not been used for long. It ignores errors: another process may be
// trimming as well.
func (c *Cache) trim(now time.Time) {
	stamp := filepath.Join(c.dir, "trimmed")
	if info, err := os.Stat(stamp); err == nil && now.Sub(info.ModTime()) < trimEvery {
		return
	}
	if _, err := os.Stat(c.dir); err != nil || c.write(stamp, nil) != nil {
		return
	}
	for _, part := range []string{"text", "mark", "memo", "self", "modfile", "overlay", "archive"} {
		_ = filepath.WalkDir(filepath.Join(c.dir, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil
			}
			if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > dropAfter {
				_ = os.Remove(path)
			}
			return nil
		})
	}
	programs, _ := filepath.Glob(filepath.Join(c.dir, "program", "*"))
	for _, path := range programs {
		if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > dropAfter {
			_ = os.RemoveAll(path)
		}
	}
	_ = filepath.WalkDir(c.modules(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !strings.Contains(d.Name(), "@") {
			return nil
		}
		if info, err := d.Info(); err == nil && now.Sub(info.ModTime()) > dropAfter {
			_ = os.RemoveAll(path)
		}
		return fs.SkipDir
	})
}

// write writes a file of the cache atomically.
func (c *Cache) write(path string, text []byte) error {
	if err := writeFile(path, text, 0o666); err != nil {
		return fmt.Errorf("%w; set MARKGENCACHE to a directory that can be written to", err)
	}
	return nil
}

// writeFile writes a file under a temporary name in the same directory, which is created if
// missing, and renames it.
func writeFile(path string, text []byte, perm fs.FileMode) error {
	return writeFrom(path, bytes.NewReader(text), perm)
}

// writeFrom is writeFile with an io.Reader.
func writeFrom(path string, text io.Reader, perm fs.FileMode) (err error) {
	f, err := createBeside(path, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = copySparse(f, 0, text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// createBeside creates a temporary file in the directory of path.
func createBeside(path string, perm fs.FileMode) (*os.File, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s.%d.%d.tmp", path, os.Getpid(), i)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				return nil, err
			}
			if i > 100 {
				return nil, err
			}
		case !errors.Is(err, fs.ErrExist) || i > 10000:
			return nil, err
		}
	}
}

// A hasher hashes a list of words, each with its length, so that different lists never have the
// same input.
type hasher struct{ hash.Hash }

func newHasher() hasher { return hasher{sha256.New()} }

func (h hasher) words(words ...string) {
	for _, w := range words {
		fmt.Fprintf(h, "%d\n%s", len(w), w)
	}
}

func (h hasher) bytes(word []byte) {
	fmt.Fprintf(h, "%d\n", len(word))
	h.Write(word)
}

func (h hasher) String() string { return hex.EncodeToString(h.Sum(nil)) }

// hashOf returns the hash of some words.
func hashOf(words ...string) string {
	h := newHasher()
	h.words(words...)
	return h.String()
}

// getenv is environ.Get, except that nil means the process's own environment.
func getenv(env []string, key string) string {
	if env == nil {
		return os.Getenv(key)
	}
	return environ.Get(env, key)
}

// setenv is environ.Set, except that nil means the process's own environment.
func setenv(env []string, key, value string) []string {
	if env == nil {
		env = os.Environ()
	}
	return environ.Set(env, key, value)
}
