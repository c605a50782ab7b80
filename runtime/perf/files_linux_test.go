//go:build !markgen_off

package perf

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

// nobody is the user who owns the files that another user has made.
const nobody = 65534

// reportTo returns the stderr of a program whose report goes to a path, and checks that the program
// otherwise ends as without.
func reportTo(t *testing.T, path string) (stderr string) {
	t.Helper()
	r := virtualForm.run(t, "report="+path, "work", "2")
	if r.code != 0 || r.stdout != "sum 20 true true\n" {
		t.Errorf("report=%s: exit code %d, stdout %q", path, r.code, r.stdout)
	}
	return r.stderr
}

func newPipe(t *testing.T, name string) {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A report goes to a pipe with a reader. A pipe without a reader loses the report, and does not
// affect the program.
func TestReportPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	newPipe(t, pipe)
	if got, want := reportTo(t, pipe), `MARKGEN: key "report": `+pipe+": nobody reads from it; the report is lost\n"; !strings.HasSuffix(got, want) {
		t.Errorf("without a reader: %q", got)
	}
	f, err := os.OpenFile(pipe, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := reportTo(t, pipe); got != "" {
		t.Errorf("with a reader: %q", got)
	}
	b := make([]byte, 1<<16)
	if n, err := f.Read(b); err != nil || !strings.Contains(string(b[:n]), "demo.work:for#1") {
		t.Errorf("%q, %v", b[:n], err)
	}
	for err = nil; err == nil; _, err = syscall.Write(int(f.Fd()), b[:1]) {
	}
	if got, want := reportTo(t, pipe), ": nobody reads from it any more; the report is lost\n"; !strings.HasSuffix(got, want) {
		t.Errorf("with a reader that does not read: %q", got)
	}
}

// If stdout is a file, the output of the process stays in it, and the report follows.
func TestReportStdout(t *testing.T) {
	cmd := virtualForm.command(t, "report=/dev/stdout", "work", "2")
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if cmd.Stdout = out; cmd.Run() != nil {
		t.Error(cmd.ProcessState)
	}
	if text, err := os.ReadFile(out.Name()); !strings.HasPrefix(string(text), "sum 20 true true\nmarkgen: ") {
		t.Errorf("%q, %v", text, err)
	}
}

// A link of the same user is followed. A link that another user made in a world-writable directory
// is not: this process would write with its rights where the other user wants.
func TestReportLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Lchown(link, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		pipe := filepath.Join(dir, "pipe")
		newPipe(t, pipe)
		if err := os.Chown(pipe, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{link, pipe} {
			if got := reportTo(t, path); !strings.Contains(got, path+": a link or pipe of another user; ") {
				t.Errorf("%q", got)
			}
		}
		if text, err := os.ReadFile(target); string(text) != "precious" {
			t.Errorf("%q, %v", text, err)
		}
		if err := os.Lchown(link, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if got := reportTo(t, link); got != "" {
		t.Errorf("%q", got)
	}
	if text, err := os.ReadFile(target); !strings.HasPrefix(string(text), "markgen: ") {
		t.Errorf("%q, %v", text, err)
	}
}

// Files that MARKGEN names may be pipes with a writer. Endless files are not read.
func TestListedPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	newPipe(t, pipe)
	for config, problem := range map[string]string{
		"only=@" + pipe:              "cannot be @" + pipe + ": nobody writes to it; ",
		"collect=wild,known=" + pipe: "cannot be " + pipe + ": nobody writes to it; nothing is collected",
		"only=@/dev/zero":            "cannot be @/dev/zero: not a regular file; ",
	} {
		if r := virtualForm.run(t, config, "work", "2"); r.code != 0 || !strings.Contains(r.stderr, problem) || len(r.files()) > 0 {
			t.Errorf("%s: exit code %d, stderr %q, files %q", config, r.code, r.stderr, r.files())
		}
	}
	cmd := virtualForm.command(t, "report=stderr,only=@/dev/fd/3", "work", "2")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{r}
	if _, err := w.WriteString("*.work\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if got := finish(t, cmd); got.code != 0 || !strings.Contains(got.stderr, "\ndemo.work ") {
		t.Errorf("exit code %d, stderr %q", got.code, got.stderr)
	}
}

// In a world-writable spool no file makes a process wait, or write elsewhere.
func TestSpoolHostile(t *testing.T) {
	for _, name := range []string{layout.SpoolHeld, layout.SpoolRefusals} {
		for _, kind := range []string{"pipe", "symbolic link", "hard link", "device"} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				dir := t.TempDir()
				spool, victim := filepath.Join(dir, "spool"), filepath.Join(dir, "victim")
				if err := os.Mkdir(spool, 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(victim, []byte("4000"), 0o600); err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(spool, name)
				err := error(nil)
				switch kind {
				case "pipe":
					newPipe(t, path)
				case "symbolic link":
					err = os.Symlink(victim, path)
				case "hard link":
					err = os.Link(victim, path)
				case "device":
					err = os.Symlink("/dev/zero", path)
				}
				if err == nil && name == layout.SpoolRefusals {
					err = os.WriteFile(filepath.Join(spool, "much"), make([]byte, 5000), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				r := virtualForm.run(t, "spool="+spool+":1000", "work", "2")
				full := name == layout.SpoolRefusals || kind == "hard link" // a regular file that says 4000
				if r.code != 0 || !strings.HasPrefix(r.stdout, "sum 20 true ") || strings.Contains(r.stderr, "nothing is collected") != full {
					t.Errorf("exit code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
				}
				if text, err := os.ReadFile(victim); string(text) != "4000" {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
	}
}

// A process that collects nothing does not create a spool, and does not touch an existing one.
func TestSpoolNotMade(t *testing.T) {
	dir := t.TempDir()
	for _, spool := range []string{"new", "new/deep"} {
		r := virtualForm.run(t, "collect=x,spool="+filepath.Join(dir, spool), "work", "2")
		if r.code != 0 || !strings.Contains(r.stderr, "no collector has the name x; ") {
			t.Errorf("exit code %d, stderr %q", r.code, r.stderr)
		}
		if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
			t.Errorf("%s: %v, %v", spool, list, err)
		}
	}
	if virtualForm.run(t, "collect=x,spool="+dir, "work", "2"); !exists(dir) {
		t.Error("a directory that was there is removed")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// A setuid program must not write files as its owner because of its caller's environment.
func TestSetuid(t *testing.T) {
	native(t)
	if os.Geteuid() != 0 {
		t.Skip("only root may make a program of another user")
	}
	for name, mode := range map[string]os.FileMode{"setuid": os.ModeSetuid, "setgid": os.ModeSetgid} {
		cmd := virtualForm.command(t, "report=report,file=data", "work", "2")
		text, err := os.ReadFile(cmd.Path)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		cmd.Path = filepath.Join(dir, "demo")
		if err := os.WriteFile(cmd.Path, text, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(cmd.Path, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(cmd.Path, 0o755|mode); err != nil {
			t.Fatal(err)
		}
		var fs syscall.Statfs_t
		if err := syscall.Statfs(dir, &fs); err != nil || fs.Flags&syscall.MS_NOSUID != 0 {
			t.Skip("the directory for temporary files is mounted nosuid")
		}
		r := finish(t, cmd)
		if r.code != 0 || r.stdout != "sum 20 true false\n" || !strings.HasPrefix(r.stderr, "markgen: MARKGEN: ignored in a program with rights that its caller lacks") || len(r.files()) > 0 {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, files %q", name, r.code, r.stdout, r.stderr, r.files())
		}
	}
}
