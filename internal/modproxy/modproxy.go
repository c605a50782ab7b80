// Package modproxy makes a file-system module proxy from the checkout, with which tests install and
// require the modules as users do.
package modproxy

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Modules are the released modules, by their directories in the checkout.
var Modules = map[string]string{
	".":       "github.com/markgen/markgen",
	"runtime": "github.com/markgen/markgen/runtime",
	"service": "github.com/markgen/markgen/service",
}

// Write writes a proxy to dir with each of the modules, in the given version. The files are those
// tracked by git in the checkout at root, with uncommitted changes.
func Write(dir, root, version string) error {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	nested := map[string]bool{} // root directories of modules
	for _, name := range names {
		if path.Base(name) == "go.mod" {
			nested[path.Dir(name)] = true
		}
	}
	for base, modulePath := range Modules {
		var files []zip.File
		for _, name := range names {
			if moduleOf(nested, name) == base {
				rel := name
				if base != "." {
					rel = strings.TrimPrefix(name, base+"/")
				}
				files = append(files, file{filepath.Join(root, filepath.FromSlash(name)), rel})
			}
		}
		if err := write(dir, filepath.Join(root, base), module.Version{Path: modulePath, Version: version}, files); err != nil {
			return err
		}
	}
	return nil
}

// moduleOf returns the directory of a file's module.
func moduleOf(nested map[string]bool, name string) string {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if nested[dir] || dir == "." {
			return dir
		}
	}
}

// write writes the proxy's files of one module.
func write(dir, root string, m module.Version, files []zip.File) error {
	at := filepath.Join(dir, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	packed, err := os.Create(filepath.Join(at, m.Version+".zip"))
	if err != nil {
		return err
	}
	return errors.Join(
		zip.Create(packed, m, files), packed.Close(),
		os.WriteFile(filepath.Join(at, "list"), []byte(m.Version+"\n"), 0o666),
		os.WriteFile(filepath.Join(at, m.Version+".info"), []byte(`{"Version":"`+m.Version+`"}`), 0o666),
		os.WriteFile(filepath.Join(at, m.Version+".mod"), gomod, 0o666),
	)
}

// A file is a file of a module: its path, and its name in the module.
type file struct{ from, name string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.from) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.from) }
