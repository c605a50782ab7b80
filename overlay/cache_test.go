package overlay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func openTestCache(t *testing.T, dir string) *Cache {
	t.Helper()
	c, err := OpenCache(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Concurrent writers of one cache, some with the same text, only see complete files.
func TestCacheAtOnce(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for w := range 8 {
		c := openTestCache(t, dir)
		wg.Go(func() {
			for i := range 50 {
				text := fmt.Sprintf("package p%d\n", i)
				path, err := c.text([]byte(text), ".go")
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := os.ReadFile(path); err != nil || string(got) != text {
					t.Errorf("writer %d read %q, %v; want %q", w, got, err, text)
				}
				key := hashOf(text)
				files := []markedFile{{name: "a b.go", text: path}}
				if err := c.setEntry(key, files); err != nil {
					t.Error(err)
				}
				if got, ok := c.entry(key); !ok || len(got) != 1 || got[0] != files[0] {
					t.Errorf("entry %v, %t", got, ok)
				}
			}
		})
	}
	wg.Wait()
	if left, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.tmp")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// A truncated entry, or one whose text is gone, is treated as missing.
func TestCacheEntryDamaged(t *testing.T) {
	c := openTestCache(t, t.TempDir())
	path, err := c.text([]byte("package p\n"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	key := hashOf("k")
	if _, ok := c.entry(key); ok {
		t.Error("an entry that is not there was found")
	}
	if err := c.setEntry(key, []markedFile{{name: "p.go", text: path}}); err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(c.dir, "mark", key[:2], key)
	whole, err := os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if err := os.WriteFile(entry, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if files, ok := c.entry(key); ok {
			t.Fatalf("%d bytes of an entry were taken for %v", n, files)
		}
	}
	if err := os.WriteFile(entry, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, ok := c.entry(key); !ok {
		t.Error("the whole entry was not found")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, ok := openTestCache(t, c.dir).entry(key); ok {
		t.Error("an entry whose text is gone was found")
	}
}

// Entries that were not used for long are removed, once a day.
func TestCacheTrim(t *testing.T) {
	c := openTestCache(t, t.TempDir())
	old, err := c.text([]byte("old"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	used, err := c.text([]byte("used"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	mod := filepath.Join(c.modules(), "example.com", "m@v1.0.0")
	if err := writeFile(filepath.Join(mod, "deep", "a@b.go"), []byte("package m"), 0o666); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-dropAfter - time.Hour)
	for _, path := range []string{old, used, mod} {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	inUse(used)
	now := time.Now().Add(trimEvery + time.Minute) // opening the cache has already trimmed it
	c.trim(now)
	for path, want := range map[string]bool{old: false, used: true, mod: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there %t", path, err, want)
		}
	}
	if err := os.Chtimes(used, long, long); err != nil {
		t.Fatal(err)
	}
	c.trim(now.Add(time.Minute - trimEvery))
	if _, err := os.Stat(used); err != nil {
		t.Error("trimmed twice a day")
	}
}

// A text has a time old enough for go to index its package, both when it is new and when it is
// marked as used.
func TestCacheSettled(t *testing.T) {
	c := openTestCache(t, t.TempDir())
	path, err := c.text([]byte("text"), ".go")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if age := time.Since(info.ModTime()); age < 3*time.Second || age > time.Hour {
			t.Errorf("its age is %v", age)
		}
		long := time.Now().Add(-2 * touchEvery)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		inUse(path)
	}
}

// openFor opens the default cache for environ.
func openFor(t *testing.T, environ ...string) (*Cache, error) {
	return OpenCache(t.Context(), "", append(environ, "PATH="+os.Getenv("PATH")))
}

func TestOpenCacheRelative(t *testing.T) {
	if _, err := openFor(t, "MARKGENCACHE=here"); err == nil {
		t.Error("a relative MARKGENCACHE was accepted")
	}
	dir := t.TempDir()
	c, err := openFor(t, "HOME=/nowhere", "XDG_CACHE_HOME="+dir)
	if err != nil || c.dir != filepath.Join(dir, "markgen") {
		t.Errorf("cache %v, %v", c, err)
	}
}

// If the user has no home directory, or one that is not writable, markgen uses go's cache
// directory. If that is not writable either, the error says what to set.
func TestOpenCacheHomeless(t *testing.T) {
	for _, key := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(key, "")
	}
	file := filepath.Join(t.TempDir(), "file") // no directory can be created below a file, not even by root
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	settings := filepath.Join(t.TempDir(), "env")
	own := t.TempDir()
	if err := os.WriteFile(settings, []byte("GOCACHE="+own+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, environ := range [][]string{
		{"GOCACHE=" + own},
		{"HOME=" + file, "GOCACHE=" + own},
		{"HOME=" + file, "GOENV=" + settings},
		{"HOME=" + file, "XDG_CACHE_HOME=" + file, "GOCACHE=" + own},
	} {
		c, err := openFor(t, environ...)
		if want := filepath.Join(own, "markgen"); err != nil || c.dir != want {
			t.Errorf("%q: the cache is in %+v, %v; want %s", environ, c, err, want)
		}
	}
	for _, environ := range [][]string{nil, {"HOME=" + file}, {"HOME=" + file, "GOCACHE=" + file}, {"MARKGENCACHE=" + file}} {
		if _, err := openFor(t, environ...); err == nil || !strings.Contains(err.Error(), "; set MARKGENCACHE to ") {
			t.Errorf("%q: %v", environ, err)
		}
	}
}
