package overlay

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Collection is the directory that the processes of one run leave their
// data files in.
type Collection struct {
	dir string

	// File and Report are what the user's own MARKGEN says about them, "" if
	// nothing. The processes are told otherwise: what becomes of the data is
	// decided after the run.
	File, Report string

	value string // of MARKGEN
}

// Collect makes a directory for the data of a run. environ is the environment
// that MARKGEN is taken from, nil the process's own. Close removes it.
func Collect(environ []string) (*Collection, error) {
	dir, err := dataDir(environ)
	if err != nil {
		return nil, fmt.Errorf("no directory for the data of the run: %w", err)
	}
	c := &Collection{dir: dir}
	collect := false
	var keys []string
	for _, kv := range strings.Split(getenv(environ, "MARKGEN"), ",") {
		key, value, _ := strings.Cut(kv, "=")
		switch key {
		case "":
			continue
		case "file":
			c.File = value
			continue
		case "report":
			c.Report = value
			continue
		case "collect":
			collect = true
		}
		keys = append(keys, kv)
	}
	if !collect {
		keys = append(keys, "collect=time")
	}
	keys = append(keys, "file="+filepath.Join(dir, "%a.%p"+dataExt), "report=none")
	c.value = strings.Join(keys, ",")
	return c, nil
}

// dataExt ends the names of data files.
const dataExt = ".markgen"

// dataDir makes an empty directory whose name can be part of MARKGEN: without
// a comma, which separates keys there, and without a percent sign.
func dataDir(environ []string) (string, error) {
	base := getenv(environ, "TMPDIR")
	if base == "" {
		base = os.TempDir()
	}
	if strings.ContainsAny(base, ",%") {
		base = "/tmp"
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(base, "markgen-run-")
}

// Environ returns the environment of a process that is to collect.
func (c *Collection) Environ(environ []string) []string {
	return setenv(environ, "MARKGEN", c.value)
}

// Files returns the data files there are, sorted by name.
func (c *Collection) Files() ([]string, error) {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if strings.Contains(e.Name(), dataExt) { // .markgen, .markgen.2, …
			files = append(files, filepath.Join(c.dir, e.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// Close removes the directory with what is left in it.
func (c *Collection) Close() error { return os.RemoveAll(c.dir) }

// Save moves a data file to a name of the user's, across file systems if need
// be. What is there already is replaced.
func Save(file, to string) error {
	if os.Rename(file, to) == nil {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return errors.Join(writeFile(to, text, 0o600), os.Remove(file))
}

// Dir returns the directory, where the caller may keep things of its own until
// Close.
func (c *Collection) Dir() string { return c.dir }
