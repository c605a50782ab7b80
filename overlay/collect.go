package overlay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// A Collection is the directory that the processes of one run leave their
// data files in, and on Linux the memory that they leave them in, with links to
// it from the directory.
type Collection struct {
	dir    string
	held   *os.File // what tells others that the run goes on; nil where nothing does
	keeper *keeper  // nil where there is none

	// File and Report are what the user's own MARKGEN says about them, "" if
	// nothing. The processes are told otherwise: what becomes of the data is
	// decided after the run.
	File, Report string

	// Spool is the directory that the user's own MARKGEN names as one, "" if it names none, and Room
	// how many bytes it may hold.
	Spool string
	Room  uint64

	// Traced says that the processes record a trace.
	Traced bool

	value  string // of MARKGEN
	chosen bool   // the user's own says what is collected
}

// Collect makes a directory for the data of a run. environ is the environment
// that MARKGEN is taken from, nil the process's own. Close removes it.
func Collect(environ []string) (*Collection, error) {
	dir, err := dataDir(environ)
	if err != nil {
		return nil, fmt.Errorf("no directory for the data of the run: %w; set TMPDIR to one that can be written to", err)
	}
	c := &Collection{dir: dir, held: holdDir(dir)}
	var keys, own []string // for the processes, and for the caller
	for item, rest := config.Next(getenv(environ, "MARKGEN")); item.Text != ""; item, rest = config.Next(rest) {
		switch item.Key {
		case "keeper": // another markgen's, which gets the file that it asked for
			continue
		case "file":
			c.File = item.Value
			own = append(own, item.Text)
			continue
		case "report":
			c.Report = item.Value
			own = append(own, item.Text)
			continue
		case "spool":
			own = append(own, item.Text)
			continue
		case "collect":
			c.chosen = true
			c.Traced = config.Has(item.Value, "trace")
		case "adapt":
			c.chosen = true
		}
		keys = append(keys, item.Text)
	}
	asked, trouble := config.Parse(strings.Join(own, ","))
	if trouble != "" {
		return nil, errors.Join(errors.New(trouble), c.Close())
	}
	c.Spool, c.Room = asked.Spool, asked.Room
	if !c.chosen {
		keys = append(keys, "collect=time")
	}
	if c.keeper, _ = newKeeper(dir, c.Traced); c.keeper != nil { // without it there are files
		keys = append(keys, "keeper="+c.keeper.key())
	}
	keys = append(keys, "file="+filepath.Join(dir, "%a.%p"+layout.DataExt), "report=none")
	c.value = strings.Join(keys, ",")
	return c, nil
}

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
	sweep(base, runDir, func(dir string) bool { return !hasData(dir) })
	return os.MkdirTemp(base, runDir)
}

// runDir begins the names of the directories of runs.
const runDir = "markgen-run-"

// hasData says whether there may be data files in a run's directory. Such stay: a process that has outlived its run may write there, and
// its data can be read.
func hasData(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isDataName(e.Name()) })
}

// isDataName says whether a file of a run's directory has the name of data: .markgen, .markgen.2, …
func isDataName(name string) bool {
	return strings.Contains(name, layout.DataExt) && !strings.HasSuffix(name, ".tmp")
}

// Only has the processes collect the markers with those IDs and no others.
func (c *Collection) Only(ids []registry.ID) error {
	var text bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&text, id)
	}
	name := filepath.Join(c.dir, "only")
	c.value += ",only=@" + name
	return os.WriteFile(name, text.Bytes(), 0o600)
}

// Demote has the processes time a marker only as long as that tells something; what MARKGEN says of
// it holds.
func (c *Collection) Demote() { c.value = "demote," + c.value }

// Wait has the processes collect what goroutines wait for besides time, which those of deep builds
// can, and returns true. What MARKGEN says is collected holds: then it is false.
func (c *Collection) Wait() bool {
	if c.chosen {
		return false
	}
	c.value += ",collect=time+wait"
	return true
}

// Environ returns the environment of a process that is to collect.
func (c *Collection) Environ(environ []string) []string {
	return setenv(environ, "MARKGEN", c.value)
}

// Files returns the data files there are, sorted by name.
func (c *Collection) Files() ([]string, error) {
	if c.keeper != nil {
		if err := c.keeper.settle(); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if isDataName(e.Name()) {
			files = append(files, filepath.Join(c.dir, e.Name()))
		}
	}
	slices.Sort(files)
	return files, nil
}

// Warnings say what was unusual with the data, after Files.
func (c *Collection) Warnings() []string {
	if c.keeper == nil {
		return nil
	}
	warnings := c.keeper.warnings
	if n := c.keeper.missing; n > 0 {
		warnings = append(slices.Clip(warnings), units.Plural(n, "process")+" began to collect and left no data: see what it printed above, or it was killed at once; the report is without it")
	}
	return warnings
}

// Complete says whether all processes of the run that are known to have begun to collect left data, after Files.
func (c *Collection) Complete() bool { return c.keeper == nil || c.keeper.missing == 0 }

// Close removes the directory with what is left in it.
func (c *Collection) Close() error {
	if c.keeper != nil {
		c.keeper.close()
	}
	err := os.RemoveAll(c.dir)
	if c.held != nil {
		c.held.Close()
	}
	return err
}

// Save moves a data file to a name of the user's, across file systems if need
// be. What is there already is replaced.
func Save(file, to string) error {
	info, err := os.Lstat(file)
	if err != nil {
		return err
	}
	if there, err := os.Stat(to); info.Mode().IsRegular() && (err != nil || there.Mode().IsRegular()) && os.Rename(file, to) == nil {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := copyData(to, f); err != nil {
		return err
	}
	return os.Remove(file)
}

// copyData writes the part of a data file that is in use to a file of the name
// to.
func copyData(to string, f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := io.NewSectionReader(f, 0, runfile.Used(f, info.Size(), f.Name()))
	if info, err := os.Stat(to); err == nil && !info.Mode().IsRegular() { // a device is written to, not replaced
		device, err := os.OpenFile(to, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = io.Copy(device, text)
		return errors.Join(err, device.Close())
	}
	return writeFrom(to, text, 0o600)
}

// Dir returns the directory, where the caller may keep things of its own until
// Close.
func (c *Collection) Dir() string { return c.dir }
