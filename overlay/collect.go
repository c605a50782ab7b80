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

// A Collection is the directory in which the processes of one run leave their data files. On Linux
// the data are in memory, with links from the directory.
type Collection struct {
	dir    string
	held   *os.File // lock that shows that the run is active; nil if unsupported
	keeper *keeper  // nil if there is none

	// File and Report are the values in the user's own MARKGEN, or "". The processes get other
	// values: what happens to the data is decided after the run.
	File, Report string

	// Spool is the spool directory in the user's own MARKGEN, or "", and Room its maximum size in
	// bytes.
	Spool string
	Room  uint64

	// Traced reports whether the processes record a trace.
	Traced bool

	budget bool   // the user's own MARKGEN has a budget, which demotes markers, too
	value  string // MARKGEN of the processes
	chosen bool   // the user's own MARKGEN selects the collectors
}

// Collect creates a directory for the data of a run, which Close removes. MARKGEN is taken from
// environ; nil is the environment of the process.
func Collect(environ []string) (*Collection, error) {
	dir, err := dataDir(environ)
	if err != nil {
		return nil, fmt.Errorf("no directory for the data of the run: %w; set TMPDIR to one that can be written to", err)
	}
	c := &Collection{dir: dir, held: holdDir(dir)}
	var keys, own []string // keys for the processes, and for the caller
	for item, rest := config.Next(getenv(environ, "MARKGEN")); item.Text != ""; item, rest = config.Next(rest) {
		switch item.Key {
		case "keeper": // of an outer markgen, which gets the file it asked for
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
		case "budget":
			c.budget = true
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
	if c.keeper, _ = newKeeper(dir, c.Traced); c.keeper != nil { // without a keeper the processes write files
		keys = append(keys, "keeper="+c.keeper.key())
	}
	keys = append(keys, "file="+filepath.Join(dir, "%a.%p"+layout.DataExt), "report=none")
	c.value = strings.Join(keys, ",")
	return c, nil
}

// dataDir creates an empty directory whose name can be part of MARKGEN: it has no comma, the
// separator of keys, and no percent sign.
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

// runDir is the prefix of the names of run directories.
const runDir = "markgen-run-"

// hasData reports whether a run directory may contain data files. Such directories are not removed:
// a process that outlives its run may still write there, and its data can be read.
func hasData(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return isDataName(e.Name()) })
}

// isDataName reports whether a file in a run directory is named like a data file: .markgen,
// .markgen.2, …
func isDataName(name string) bool {
	return strings.Contains(name, layout.DataExt) && !strings.HasSuffix(name, ".tmp")
}

// Only restricts the processes to the markers with the given IDs.
func (c *Collection) Only(ids []registry.ID) error {
	var text bytes.Buffer
	for _, id := range ids {
		fmt.Fprintln(&text, id)
	}
	name := filepath.Join(c.dir, "only")
	c.value += ",only=@" + name
	return os.WriteFile(name, text.Bytes(), 0o600)
}

// Exact makes sure that the processes time all scopes. The error is that the user's MARKGEN has a
// budget.
func (c *Collection) Exact() error {
	if c.budget {
		return errors.New("-exact times all scopes, and budget= in MARKGEN does not; leave one of the two out")
	}
	return nil
}

// Demote makes the processes stop timing a marker when further times add nothing; a setting in the
// user's MARKGEN takes precedence.
func (c *Collection) Demote() { c.value = "demote," + c.value }

// Paths makes the processes record paths; a setting in the user's MARKGEN takes precedence.
func (c *Collection) Paths() { c.value = "paths," + c.value }

// Wait makes the processes collect wait times besides time, which requires a deep build, and
// returns true. If the user's MARKGEN selects the collectors, it does nothing and returns false.
func (c *Collection) Wait() bool {
	if c.chosen {
		return false
	}
	c.value += ",collect=time+wait"
	return true
}

// Environ returns the environment of a process that is to collect data.
func (c *Collection) Environ(environ []string) []string {
	return setenv(environ, "MARKGEN", c.value)
}

// Files returns the data files of the run, sorted by name.
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

// Warnings describes problems with the data. It is valid after Files.
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

// Complete reports whether every process of the run that is known to have begun to collect left
// data. It is valid after Files.
func (c *Collection) Complete() bool { return c.keeper == nil || c.keeper.missing == 0 }

// Close removes the directory and its content.
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

// Save moves a data file to the user's path to, across file systems if necessary. It replaces an
// existing file.
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

// copyData writes the used part of a data file to the file to.
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

// Dir returns the directory, in which the caller may keep its own files until Close.
func (c *Collection) Dir() string { return c.dir }
