package steer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
)

// found is the data file of a process.
type found struct {
	path  string // path for opening it
	shown string // resolved path, for people
}

// errNoProcess is wrapped by errors if no process has the ID.
var errNoProcess = errors.New("there is no such process")

// processes returns the IDs of all visible processes, sorted.
func processes() (pids []int, ok bool) {
	entries, err := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, err == nil && len(pids) > 0
}

// commandLine returns the command line of a process, with spaces between arguments; "" if it is not
// visible.
func commandLine(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(strings.TrimRight(string(text), "\x00"), "\x00", " ")
}

// ofProcess finds the data file of a process: a file that it has open, or mapped if it has closed
// its descriptors, and that names this process as its writer. A process may have files of others
// open, as markgen exec has those of its children.
func ofProcess(pid int) (found, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	info, err := os.Stat(dir)
	if err != nil {
		return found{}, fmt.Errorf("process %d: %w; give the ID of a running process, or its data file", pid, errNoProcess)
	}
	if uid, ok := owner(info); ok && uid != os.Geteuid() {
		return found{}, fmt.Errorf("process %d: it belongs to user %d: %w", pid, uid, ErrOwner)
	}
	entries, err := os.ReadDir(dir + "/fd")
	if err != nil {
		return found{}, fmt.Errorf("process %d: its open files can't be seen (%w); give its data file", pid, err)
	}
	numbers := numbersOf(dir, pid)
	var others []uint64
	for _, path := range append(descriptors(dir, entries), mapped(dir)...) {
		writer, ok := writerOf(path)
		if !ok {
			continue
		}
		if !slices.Contains(numbers, writer) {
			others = append(others, writer)
			continue
		}
		shown, err := os.Readlink(path)
		if err != nil {
			shown = path
		}
		return found{path, shown}, nil
	}
	if len(others) > 0 {
		slices.Sort(others)
		var list []string
		for _, other := range slices.Compact(others) {
			list = append(list, strconv.FormatUint(other, 10))
		}
		return found{}, fmt.Errorf("process %d: it has the data of other processes open; give one of these: %s", pid, strings.Join(list, ", "))
	}
	return found{}, fmt.Errorf("process %d: no data file; it has no markers in it, or MARKGEN was not set when it began, or it keeps its data in memory (report without file)", pid)
}

// descriptors returns the paths of a process's open files, those with high descriptors first:
// package runtime moves its own there.
func descriptors(dir string, entries []fs.DirEntry) []string {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int {
		x, _ := strconv.Atoi(a.Name())
		y, _ := strconv.Atoi(b.Name())
		return y - x
	})
	var paths []string
	for _, e := range entries {
		paths = append(paths, filepath.Join(dir, "fd", e.Name()))
	}
	return paths
}

// mapped returns the paths of the files that a process has mapped writable and shared: both under
// map_files, which only root can follow, and by name.
func mapped(dir string) (paths []string) {
	text, err := os.ReadFile(dir + "/maps")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		// from-to rw-s offset device inode path, see proc_pid_maps(5)
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if len(f) < 6 || f[1] != "rw-s" {
			continue
		}
		link := filepath.Join(dir, "map_files", f[0])
		path := strings.TrimLeft(f[5], " ")
		var there, have syscall.Stat_t
		if syscall.Stat(link, &there) == nil {
			paths = append(paths, link)
		} else if inode, err := strconv.ParseUint(f[4], 10, 64); err == nil && syscall.Stat(path, &have) == nil && have.Ino == inode {
			paths = append(paths, path)
		}
	}
	return slices.Compact(paths)
}

// numbersOf returns the IDs of a process: its own and those in its PID namespaces, one of which its
// data file has.
func numbersOf(dir string, pid int) []uint64 {
	numbers := []uint64{uint64(pid)}
	text, err := os.ReadFile(dir + "/status")
	if err != nil {
		return numbers
	}
	for line := range strings.Lines(string(text)) {
		if list, ok := strings.CutPrefix(line, "NSpid:"); ok {
			for _, word := range strings.Fields(list) {
				if n, err := strconv.ParseUint(word, 10, 64); err == nil {
					numbers = append(numbers, n)
				}
			}
		}
	}
	return numbers
}

// writerOf returns the ID of the process that writes a data file. It does not open other files,
// since that could block or have side effects.
func writerOf(path string) (pid uint64, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() < layout.HeaderSize {
		return 0, false
	}
	f, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	var magic [len(layout.Magic)]byte
	if _, err := io.ReadFull(f, magic[:]); err != nil || string(magic[:]) != layout.Magic {
		return 0, false
	}
	return runfile.PID(f), true
}
