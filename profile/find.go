package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	layout "github.com/markgen/markgen/runtime"
)

// Find returns the data files that are meant by a name on a command line: the
// file of that name; of a folder, the data files directly in it, whatever
// their names; else those of the files that match the name as a pattern of
// path/filepath. It is an error if there is none. The files of one name are sorted.
func Find(name string) ([]string, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return inFolder(name)
	case err == nil:
		return []string{name}, nil
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(name, `*?[`):
		return nil, err
	}
	matches, err := filepath.Glob(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; quote brackets that belong to a name with a backslash", name, err)
	}
	var files []string
	for _, match := range matches {
		if begins(match) {
			files = append(files, match)
		}
	}
	switch {
	case len(matches) == 0:
		return nil, fmt.Errorf("%s: no file matches; give data files of marked programs, or folders of them", name)
	case len(files) == 0:
		return nil, fmt.Errorf("%s: none of the %d files that match is a data file of a marked program", name, len(matches))
	}
	return files, nil
}

func inFolder(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); begins(path) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: no data file of a marked program is in this folder", dir)
	}
	return files, nil
}

// begins tells whether the file begins as a data file does. Only regular
// files do: opening others might wait.
func begins(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [len(layout.Magic)]byte
	_, err = io.ReadFull(f, magic[:])
	return err == nil && string(magic[:]) == layout.Magic
}
