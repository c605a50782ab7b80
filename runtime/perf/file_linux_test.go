//go:build go1.26 && !markgen_off

package perf

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// inDir runs the demo in a directory that other runs have used.
func inDir(t *testing.T, dir, config string, args ...string) *run {
	t.Helper()
	cmd := virtualForm.command(t, config, args...)
	cmd.Dir = dir
	return finish(t, cmd)
}

func wantFiles(t *testing.T, r *run, want ...string) {
	t.Helper()
	if got := r.files(); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// The name of a run that has ended is used again; the name of a live run is not.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	inDir(t, dir, "file=data", "work", "1")
	r := inDir(t, dir, "file=data", "work", "2")
	wantFiles(t, r, "data")
	if n := r.data("data").marks["demo.tick"].count; n != 2 {
		t.Errorf("the file is of the run with %d ticks", n)
	}

	stay := virtualForm.command(t, "file=data", "stay")
	stay.Dir = dir
	untilReady(t, stay)
	inDir(t, dir, "file=data", "work", "3")
	r = inDir(t, dir, "file=data", "work", "4")
	wantFiles(t, r, "data", "data.2", "data.3")
	if a, b, c := r.data("data").marks["demo.work"].count, r.data("data.2").marks["demo.tick"].count,
		r.data("data.3").marks["demo.tick"].count; a != 1 || b != 3 || c != 4 {
		t.Errorf("scopes %d, %d, %d", a, b, c)
	}
	stay.Process.Kill()
	stay.Wait()

	// Later, the first run has the plain name, and runs beside it use the numbers of dead runs.
	stay = virtualForm.command(t, "file=data", "stay")
	stay.Dir = dir
	untilReady(t, stay)
	inDir(t, dir, "file=data", "work", "5")
	r = inDir(t, dir, "file=data", "work", "6")
	wantFiles(t, r, "data", "data.2", "data.3")
	if a, b := r.data("data.2").marks["demo.tick"].count, r.data("data.3").marks["demo.tick"].count; a != 5 || b != 6 {
		t.Errorf("scopes %d, %d", a, b)
	}
}

// Files of others are never replaced.
func TestForeignFiles(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"text":      func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("precious ", 100)), 0o666) },
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o666) },
		"magic":     func(path string) error { return os.WriteFile(path, []byte(layout.Magic), 0o666) },
		"directory": func(path string) error { return os.Mkdir(path, 0o777) },
		"dangling":  func(path string) error { return os.Symlink("nowhere", path) },
		"link":      func(path string) error { return os.Symlink("/etc/passwd", path) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "data")
		if err := make(path); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			r := inDir(t, dir, "file=data", "work", "1")
			wantFiles(t, r, "data", "data.2")
			r.data("data.2")
		}
		if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() {
			t.Errorf("%s: now %v %v", name, after, err)
		}
	}
}

// No file is made beside a device, a pipe or a socket.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "data"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "/dev/null"} {
		r := inDir(t, dir, "file="+name, "work", "1")
		wantFiles(t, r, "data")
		if want := ": not a file that can hold data; collecting in memory only"; strings.Count(r.stderr, want) != 1 {
			t.Errorf("file=%s: %q", name, r.stderr)
		}
	}
}

// A directory in the place of the file may be a mistake: a message says that it is no data file.
func TestDirectoryFile(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "data"), 0o777), os.Symlink("data", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "link"} {
		r := inDir(t, dir, "file="+name, "work", "1")
		r.data(name + ".2")
		if want := "MARKGEN: key \"file\": " + name + " exists and is not the data of a run; data go beside it"; strings.Count(r.stderr, want) != 1 {
			t.Errorf("file=%s: %q", name, r.stderr)
		}
	}
}

// Children inherit MARKGEN and have a file each, whether they run one after another or at once.
func TestChildren(t *testing.T) {
	r := virtualForm.run(t, "file=data,report=report.%p", "children", "3")
	var reports, data int
	for _, name := range r.files() {
		if strings.HasPrefix(name, "report.") {
			reports++
			continue
		}
		data++
		want := uint64(2)
		if name == "data" {
			want = 1
		}
		if n := r.data(name).marks["demo.work"].count; n != want {
			t.Errorf("%s has %d scopes of work, want %d", name, n, want)
		}
	}
	if reports != 4 || data != 4 {
		t.Errorf("files %q", r.files())
	}

	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 16 {
		cmd := virtualForm.command(t, "file=data", "work", fmt.Sprint(i))
		cmd.Dir = dir
		wg.Go(func() { cmd.Run() })
	}
	wg.Wait()
	// A run that began after another had ended may have replaced it.
	r = &run{t: t, dir: dir}
	for _, name := range r.files() {
		if d := r.data(name); d.word(layout.OffState) != layout.StateStopped || d.marks["demo.main"].count != 1 {
			t.Errorf("%s: state %d, main %d", name, d.word(layout.OffState), d.marks["demo.main"].count)
		}
	}
}

// A report does not replace the data file, by whatever path it refers to it.
func TestReportOverData(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("data", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data", "../" + filepath.Base(dir) + "/data", "link"} {
		r := inDir(t, dir, "file=data,report="+name, "work", "1")
		if d := r.data("data"); d.word(layout.OffState) != layout.StateStopped {
			t.Errorf("report=%s: state %d", name, d.word(layout.OffState))
		}
		if want := "/data: it is the data file of a run; the report is lost\n"; name != "link" && !strings.HasSuffix(r.stderr, want) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("report=%s: %q", name, r.stderr)
		}
	}
}

// Without a file there is one line on stderr, and still the report.
func TestNoFile(t *testing.T) {
	for _, path := range []string{"no/such/directory/data", "/proc/markgen", "/dev/null/data"} {
		r := virtualForm.run(t, "file="+path+",report=r", "exit")
		if r.code != 3 || strings.Count(r.stderr, "\n") != 1 || !strings.HasPrefix(r.stderr, `markgen: MARKGEN: key "file": `+path) {
			t.Errorf("%s: exit code %d, stderr %q", path, r.code, r.stderr)
		}
		b, err := os.ReadFile(filepath.Join(r.dir, "r"))
		if err != nil || !strings.Contains(string(b), "demo.work:for#1     10") {
			t.Errorf("%s: report %s %v", path, b, err)
		}
	}
}

// The file grows while markers are executed.
func TestGrowth(t *testing.T) {
	d := virtualForm.run(t, "file=data", "fill", "6000").data("data")
	for i := range 6000 {
		if m := d.marks[fmt.Sprintf("fill.F%d", i)]; m == nil || m.count != 1 {
			t.Fatalf("marker %d: %+v", i, m)
		}
	}
	if len(d.b) < 6000*layout.CellSize || uint64(len(d.b)) != d.word(layout.OffUsed) {
		t.Errorf("%d bytes, %d used", len(d.b), d.word(layout.OffUsed))
	}
}

// If the file cannot grow, the program continues, the file keeps its contents and the report is
// complete. The limit on file sizes must not raise SIGXFSZ, and a descriptor that another file has
// got must not be written to.
func TestFileCannotGrow(t *testing.T) {
	for what, message := range map[string]string{
		"limit":    "the limit on file sizes (RLIMIT_FSIZE) is reached",
		"closefds": "its descriptor was closed by the program",
	} {
		r := virtualForm.run(t, "file=data,report=r", what, "3000")
		want := "markgen: the data file cannot grow: " + message + "; what has no room in it is collected in memory only\n"
		if r.code != 0 || r.stderr != want {
			t.Errorf("%s: exit code %d, stderr %q, want %q", what, r.code, r.stderr, want)
		}
		if what == "closefds" && r.stdout != "victim 0\n" {
			t.Errorf("%s: %s", what, r.stdout)
		}
		b, err := os.ReadFile(filepath.Join(r.dir, "r"))
		if err != nil || strings.Count(string(b), "\nfill.F") != 3000 {
			t.Errorf("%s: %d lines in the report, %v", what, strings.Count(string(b), "\nfill.F"), err)
		}
		if d := r.data("data"); d.word(layout.OffFlags)&^layout.FlagNoSelf != layout.FlagPartial || d.word(layout.OffState) != layout.StateStopped {
			t.Errorf("%s: flags %b, state %d", what, d.word(layout.OffFlags), d.word(layout.OffState))
		}
	}
}

// The descriptors of the program and its children have the same numbers as without MARKGEN.
func TestDescriptor(t *testing.T) {
	marked := virtualForm.run(t, "file=data", "fds")
	plain := virtualForm.run(t, "", "fds")
	if marked.stdout != plain.stdout || plain.code != 0 {
		t.Errorf("descriptors %q, without MARKGEN %q", marked.stdout, plain.stdout)
	}
}
