package runfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/runtime/layout"
)

// Find returns the data files for a name on a command line: the file of that name; for a folder,
// the data files directly in it; otherwise the data files that match the name as a pattern of
// path/filepath. It is an error if there is none. A relative name is relative to dir, or to the
// current directory if dir is "", and so are the files returned, which are sorted.
func Find(dir, name string) ([]string, error) {
	path, pattern := name, name
	if dir != "" && !filepath.IsAbs(name) {
		path, pattern = filepath.Join(dir, name), filepath.Join(literal(dir), name)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return inFolder(path)
	case err == nil:
		return []string{path}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case !strings.ContainsAny(name, `*?[`):
		return nil, fmt.Errorf("%s: there is no such file; give data files of marked programs, or folders of them", name)
	}
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; quote brackets that belong to a name with a backslash", name, err)
	}
	var files []string
	for _, match := range matches {
		if IsData(match) {
			files = append(files, match)
		}
	}
	switch {
	case len(matches) == 0:
		return nil, fmt.Errorf("%s: no file matches; give data files of marked programs, or folders of them", name)
	case len(files) == 0:
		return nil, fmt.Errorf("%s: none of the %d files that match is a data file of a marked program; give data files, or folders of them", name, len(matches))
	}
	return files, nil
}

// literal returns the pattern that matches only path. On Windows patterns have no quoting.
func literal(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func inFolder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); IsData(path) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no data file of a marked program is in this folder; give a folder that has some%s", dir, suchAs(dir, entries))
	}
	return files, nil
}

// suchAs returns a hint at the first folder in dir that has data files, as -runs with -old writes
// them, or "".
func suchAs(dir string, entries []fs.DirEntry) string {
	for _, e := range entries {
		within := filepath.Join(dir, e.Name())
		list, _ := os.ReadDir(within) // an error means that it is no folder
		for _, of := range list {
			if IsData(filepath.Join(within, of.Name())) {
				return ", such as " + within
			}
		}
	}
	return ""
}

// IsData reports whether the file begins like a data file or a profile file. It returns false for
// anything but regular files, because opening a pipe may block.
func IsData(path string) bool {
	f, err := fileread.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [len(layout.Magic)]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && (string(magic[:]) == layout.Magic || string(magic[:]) == codec.Magic)
}
