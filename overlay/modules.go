package overlay

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/markgen/markgen/fileread"
)

// An overlay must not replace files below GOMODCACHE. So modules in there that have packages to be
// marked are copied to the cache, and go gets a copy of go.mod (of go.work in a workspace) that
// replaces the modules with these copies. Vendored modules need no copies.

// A moduleCopy is a copied module.
type moduleCopy struct {
	path, version string // as in go.mod
	dir           string // directory of the copy
	info          string // see Module.info
}

// modules is the directory of the copies.
func (c *Cache) modules() string { return filepath.Join(c.dir, "module") }

// copyModules copies the tasks' modules that are below modCache, and sets the directories of the
// tasks.
func copyModules(cache *Cache, tasks []*task, modCache string) ([]*moduleCopy, error) {
	var copies []*moduleCopy
	seen := map[string]*moduleCopy{}
	for _, t := range tasks {
		if t.Standard || t.Module == nil || t.Module.Main || !within(modCache, t.Dir) {
			continue
		}
		m := t.Module
		from := m
		if m.Replace != nil {
			from = m.Replace
		}
		c := seen[m.Path]
		if c == nil {
			dir, err := copyModule(cache, from)
			if err != nil {
				return nil, fmt.Errorf("copying module %s@%s: %w", from.Path, from.Version, err)
			}
			c = &moduleCopy{path: m.Path, version: m.Version, dir: dir, info: m.info()}
			seen[m.Path] = c
			copies = append(copies, c)
		}
		rel, err := filepath.Rel(from.Dir, t.Dir)
		if err != nil {
			return nil, err
		}
		t.dir = filepath.Join(c.dir, rel)
	}
	return copies, nil
}

// copyModule copies a module out of the module cache, unless a copy exists. The content of a
// version never changes.
func copyModule(cache *Cache, m *Module) (string, error) {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return "", err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache.modules(), filepath.FromSlash(path)+"@"+version)
	if _, err := os.Stat(dir); err == nil {
		now := time.Now()
		return dir, os.Chtimes(dir, now, now)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "copy-*.tmp")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := copyTree(tmp, m.Dir); err != nil {
		return "", err
	}
	mod := filepath.Join(tmp, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, fs.ErrNotExist) {
		// A module without go.mod: go generated one, which is in the download directory.
		text, err := fileread.File(m.GoMod)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(mod, text, 0o666); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr == nil {
			return dir, nil // another process was faster
		}
		return "", err
	}
	return dir, nil
}

// copyTree copies the regular files below from. It uses hard links if the file system can, since
// neither place is written to.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil || rel == "." {
			return err
		}
		dst := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(dst, 0o755)
		case !d.Type().IsRegular():
			return nil
		case os.Link(path, dst) == nil:
			return nil
		}
		return copyFile(dst, path)
	})
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// replaceModules writes a copy of go.mod with its go.sum, or of go.work, that replaces the modules
// with the copies. It returns the flag or the environment variable that makes go use it.
func replaceModules(cache *Cache, copies []*moduleCopy, env *goEnv, dir, modFlag string) (flag, variable string, err error) {
	if env.GOWORK != "" && env.GOWORK != "off" {
		work, err := replaceInWork(cache, copies, env.GOWORK)
		return "", work, err
	}
	name, sum := env.GOMOD, strings.TrimSuffix(env.GOMOD, ".mod")+".sum"
	if modFlag != "" {
		name = absolute(dir, modFlag)
		sum = strings.TrimSuffix(name, ".mod") + ".sum"
	}
	text, err := fileread.File(name)
	if err != nil {
		return "", "", err
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return "", "", err
	}
	for _, c := range copies {
		for _, r := range f.Replace {
			if r.Old.Path == c.path {
				if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
					return "", "", err
				}
			}
		}
		if err := f.AddReplace(c.path, "", c.dir, ""); err != nil {
			return "", "", err
		}
	}
	f.Cleanup()
	if text, err = f.Format(); err != nil {
		return "", "", err
	}
	path, err := writeWithSum(cache, "go.mod", text, "go.sum", sum)
	return "-modfile=" + path, "", err
}

// replaceInWork is replaceModules for a workspace, where -modfile is not allowed. It makes paths
// absolute, since the copy is in another directory.
func replaceInWork(cache *Cache, copies []*moduleCopy, name string) (string, error) {
	text, err := fileread.File(name)
	if err != nil {
		return "", err
	}
	f, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return "", err
	}
	root := filepath.Dir(name)
	for _, u := range f.Use {
		if !filepath.IsAbs(u.Path) {
			if err := f.AddUse(filepath.Join(root, u.Path), u.ModulePath); err != nil {
				return "", err
			}
			if err := f.DropUse(u.Path); err != nil {
				return "", err
			}
		}
	}
	for _, r := range f.Replace {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			if err := f.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(root, r.New.Path), ""); err != nil {
				return "", err
			}
		}
	}
	for _, c := range copies {
		for _, r := range f.Replace {
			if r.Old.Path == c.path {
				if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
					return "", err
				}
			}
		}
		if err := f.AddReplace(c.path, "", c.dir, ""); err != nil {
			return "", err
		}
	}
	f.Cleanup()
	return writeWithSum(cache, "go.work", modfile.Format(f.Syntax), "go.work.sum", name+".sum")
}

// writeWithSum writes a file, and a copy of sum if it exists, to a directory of the cache that is
// named by their content.
func writeWithSum(cache *Cache, base string, text []byte, sumBase, sum string) (string, error) {
	sumText, err := fileread.File(sum)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	dir := filepath.Join(cache.dir, "modfile", hashOf(string(text), string(sumText)))
	path := filepath.Join(dir, base)
	if sumText != nil {
		if err := cache.write(filepath.Join(dir, sumBase), sumText); err != nil {
			return "", err
		}
	}
	return path, cache.write(path, text)
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)))
}
