//go:build go1.26 && !markgen_off

package perf

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// through makes a shell run the command as "$@".
func through(cmd *exec.Cmd, script string) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", script, "sh"}, cmd.Args...)
	cmd.Path = "/bin/sh"
	return cmd
}

// filled reports whether the report lists count markers of fill, each executed once.
func (r *run) filled(count string) bool {
	b, _ := os.ReadFile(filepath.Join(r.dir, "report"))
	passed := 0
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "fill.F") && f[1] == "1" {
			passed++
		}
	}
	return strconv.Itoa(passed) == count
}

// Whatever happens to the file costs data and one line on stderr, and does not affect the program.
func TestSurvives(t *testing.T) {
	own := "exec \"$@\""
	disk := `mount -t tmpfs -o size=1m,mode=777 none disk || { echo no mount; exit 99; }; "$@"; code=$?; cp disk/data data && exit $code`
	for _, tt := range []struct {
		name, script string
		file         string
		args         []string
		stderr       string // the one line on stderr
		data         bool   // a file is left
		partial      bool
	}{
		{"read-only directory", own, "readonly/data", []string{"fill", "3000"},
			`MARKGEN: key "file": readonly/data: permission denied; collecting in memory only`, false, false},
		{"directory without entry", own, "closed/data", []string{"fill", "3000"},
			`MARKGEN: key "file": closed/data: permission denied; collecting in memory only`, false, false},
		{"no room for the first byte", "ulimit -f 0; " + own, "data", []string{"work", "3"},
			`MARKGEN: key "file": data: the limit on file sizes (RLIMIT_FSIZE) is reached; collecting in memory only, of which nothing is left at the end; give report=PATH for a table of it`, false, false},
		{"a limit on the file", "ulimit -f 1024; " + own, "data", []string{"fill", "9000"},
			"the data file cannot grow: the limit on file sizes (RLIMIT_FSIZE) is reached; what has no room in it is collected in memory only", true, true},
		{"a disk of 1 MiB", disk, "disk/data", []string{"fill", "9000"},
			"the data file cannot grow: no space left on device; what has no room in it is collected in memory only", true, true},
		{"a full disk", strings.Replace(disk, "; \"$@\"", "; head -c 1048576 /dev/zero >disk/full; \"$@\"", 1), "disk/data", []string{"fill", "3000"},
			`MARKGEN: key "file": disk/data: no space left on device; collecting in memory only`, false, false},
		{"deleted", own, "data", []string{"delete", "3000"}, "", false, false},
		{"elsewhere", own, "data", []string{"away", "3000"}, "", true, false},
		{"few descriptors", "ulimit -n 16; " + own, "data", []string{"fill", "3000"}, "", true, false},
		{"too few for a timer", "ulimit -n 6; " + own, "data,stop=after:1h", []string{"work", "3"},
			"MARKGEN: there can be no timer: too many open files; no window is opened, and nothing happens after a time", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			report := "report"
			if tt.args[0] == "work" {
				report = "none"
			}
			cmd := through(virtualForm.command(t, "file="+tt.file+",report="+report, tt.args...), tt.script)
			for name, mode := range map[string]os.FileMode{"readonly": 0o555, "closed": 0, "disk": 0o777} {
				if err := os.Mkdir(filepath.Join(cmd.Dir, name), mode); err != nil {
					t.Fatal(err)
				}
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{}
			if strings.Contains(tt.script, "mount") {
				cmd.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
				if os.Geteuid() != 0 {
					t.Skip("only root may mount")
				}
			} else if os.Geteuid() == 0 { // root may write anywhere
				nobody := uint32(65534)
				cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
				openPath(t, cmd.Dir, virtualForm.build(t))
			}
			r := finish(t, cmd)
			if r.code == 99 {
				t.Skip("no mount")
			}
			stderr := r.stderr
			if strings.Contains(tt.script, "disk") && !tt.data { // the message is from cp
				stderr, _, _ = strings.Cut(stderr, "cp: ")
				r.code = 0
			}
			want := ""
			if tt.stderr != "" {
				want = "markgen: " + tt.stderr + "\n"
			}
			if r.code != 0 || stderr != want {
				t.Errorf("exit code %d, stderr %q, want %q", r.code, stderr, want)
			}
			if tt.args[0] == "work" {
				if r.stdout != "sum 20 true true\n" {
					t.Errorf("it printed %q", r.stdout)
				}
			} else if !r.filled(tt.args[1]) {
				t.Error("the report does not have every marker")
			}
			if slices.Contains(r.files(), "data") != tt.data {
				t.Fatalf("files %q", r.files())
			}
			if !tt.data {
				return
			}
			if d := r.data("data"); d.word(layout.OffState) != layout.StateStopped || (d.word(layout.OffFlags)&layout.FlagPartial != 0) != tt.partial {
				t.Errorf("state %d, flags %b", d.word(layout.OffState), d.word(layout.OffFlags))
			}
		})
	}
}

// openPath gives all users access to the working directory, and the program.
func openPath(t *testing.T, dir, program string) {
	t.Helper()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, program} {
		for p := filepath.Dir(path); p != os.TempDir() && len(p) > 1; p = filepath.Dir(p) {
			if err := os.Chmod(p, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A program that replaces itself keeps its process ID, environment and data: the next program has
// another file.
func TestExec(t *testing.T) {
	native(t)
	for _, config := range []string{"file=data", "file=data-%p", "report=r,file=data.%a.%p"} {
		dir := t.TempDir()
		for round := range 2 {
			r := inDir(t, dir, config, "exec")
			if r.code != 0 || r.stderr != "" || r.stdout != "sum 20 true true\n" {
				t.Errorf("%s: exit code %d, stdout %q, stderr %q", config, r.code, r.stdout, r.stderr)
			}
			var works []uint64
			for _, name := range r.files() {
				if strings.HasPrefix(name, "data") {
					works = append(works, r.data(name).marks["demo.work"].count)
				}
			}
			want := []uint64{1, 2}
			if round == 1 && config != "file=data" {
				want = []uint64{1, 2, 1, 2} // another process
				slices.Sort(works)
				slices.Sort(want)
			}
			if diff := differ(want, works); diff != "" {
				t.Errorf("%s: scopes of work in the files %q (-want +got):\n%s", config, r.files(), diff)
			}
		}
	}
}

// When memory runs out, Go's own report and exit code appear.
func TestOutOfMemory(t *testing.T) {
	native(t)
	const limit = `ulimit -v 1000000; exec "$@"`
	plain := finish(t, through(virtualForm.command(t, "", "memory"), limit))
	r := finish(t, through(virtualForm.command(t, "file=data", "memory"), limit))
	if r.code != plain.code || r.code != 2 || !strings.Contains(r.stderr, "out of memory") || strings.Contains(r.stderr, "markgen:") {
		t.Errorf("exit code %d, without markers %d; stderr %.1000s", r.code, plain.code, r.stderr)
	}
	if n := r.data("data").marks["demo.work"].count; n < 100 {
		t.Errorf("%d scopes of work", n)
	}
}

// Markers start no goroutine that is visible to the program.
func TestGoroutines(t *testing.T) {
	want := virtualForm.run(t, "", "stacks")
	for _, config := range []string{"file=data", "report=/dev/null", "file=no/such/place"} {
		if r := virtualForm.run(t, config, "stacks"); r.stdout != want.stdout || !strings.HasPrefix(r.stdout, "1\n") {
			t.Errorf("MARKGEN=%s:\n%s\nwithout:\n%s", config, r.stdout, want.stdout)
		}
	}
}

// The race detector reports nothing about concurrent use of the file.
func TestGrowthRaces(t *testing.T) {
	for _, f := range []*form{raceForm, virtualForm} {
		t.Run(f.name, func(t *testing.T) {
			r := f.run(t, "file=data", "grow", "6")
			if r.code != 0 || r.stderr != "" {
				t.Errorf("%s: exit code %d, stderr %.2000s", f.name, r.code, r.stderr)
			}
			passed := 0
			for name, n := range r.data("data").counts() {
				if strings.HasPrefix(name, "grow") && n == 1 {
					passed++
				}
			}
			if passed != 6*2000 {
				t.Errorf("%s: %d markers passed once", f.name, passed)
			}
		})
	}
}
