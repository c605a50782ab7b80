package overlay_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/markgen/markgen/tier"
)

// A dual build with cgo, of every kind of executable, and ends that leave a core dump.
func TestDualBuilds(t *testing.T) {
	tier.Corpus(t)
	dir := trapModule(t, "dual")
	for _, flags := range []string{"", "-race", "-buildmode=pie", "-ldflags=-s", "-ldflags=-linkmode=external", "-trimpath -v", "-deep"} {
		own, flag := []string{"build", "-all", "-dual", "-o", "prog"}, strings.Fields(flags)
		if flags == "-deep" {
			own, flag = []string{"build", "-all", "-dual", "-deep", "-o", "prog"}, nil
		}
		trapMust(t, dir, nil, trapMarkgen(t), append(append(own, flag...), ".")...)
		r := trapMust(t, dir, []string{"MARKGEN=report=stderr"}, "./prog")
		if !strings.Contains(r.stdout, "runs prog.marked false 42") || !strings.Contains(r.stderr, "dual.main ") {
			t.Errorf("%s: %s%s", flags, r.stdout, r.stderr)
		}
		if flags == "" || flags == "-race" {
			crash := []string{"-c", "ulimit -c unlimited; exec ./prog now"}
			plain := trapRun(t, dir, []string{"GOTRACEBACK=crash"}, "sh", crash...)
			r := trapRun(t, dir, []string{"GOTRACEBACK=crash", "MARKGEN=report=none"}, "sh", crash...)
			if r.state != plain.state || !strings.HasPrefix(r.stderr, "panic: now\n") {
				t.Errorf("%s: %s, plain: %s\n%s", flags, r.state, plain.state, r.stderr)
			}
			t.Logf("%q: %s", flags, r.state)
		}
	}
}

// The marked program is found where nothing is mounted and nothing can be written, and is not run
// with rights that the caller lacks.
func TestDualPrivileges(t *testing.T) {
	tier.Corpus(t)
	if os.Getuid() != 0 {
		t.Skip("it needs root, to change the root directory and the user")
	}
	dir := trapModule(t, "dual")
	root := t.TempDir()
	prog := filepath.Join(root, "prog")
	trapMust(t, dir, []string{"CGO_ENABLED=0"}, trapMarkgen(t), "build", "-all", "-dual", "-o", prog, ".")
	if err := os.Chmod(root, 0o555); err != nil {
		t.Fatal(err)
	}
	run := func(args []string, environ ...string) (stdout, stderr string) {
		t.Helper()
		var out, errors bytes.Buffer
		cmd := &exec.Cmd{Path: "/prog", Args: args, Dir: "/", Env: append(environ, "MARKGEN=report=stderr"), Stdout: &out, Stderr: &errors}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s", err, errors.String())
		}
		return out.String(), errors.String()
	}
	for _, test := range []struct {
		args    []string
		environ string
		marked  bool
	}{
		{[]string{"/prog"}, "PATH=", true},
		{[]string{"./prog"}, "PATH=", true},
		{[]string{"prog"}, "PATH=/none:/", true},
		{[]string{"prog"}, "PATH=/none:", true},
		{[]string{"prog"}, "PATH=/none", false},
		{[]string{"another"}, "PATH=/", false},
	} {
		stdout, stderr := run(test.args, test.environ)
		if !strings.HasPrefix(stdout, test.args[0]+" runs ") || strings.Contains(stderr, "dual.main ") != test.marked ||
			strings.Contains(stderr, "the directory of this program is unknown") == test.marked {
			t.Errorf("%v: %s%s", test, stdout, stderr)
		}
	}

	if err := os.Chown(prog, 0, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(prog, 0o755|os.ModeSetuid); err != nil {
		t.Fatal(err)
	}
	stdout, stderr := run([]string{"/prog"})
	const want = "markgen: MARKGEN: ignored in a program with rights that its caller lacks (setuid, setgid, file capabilities); nothing is collected\n"
	if stdout == "" || stderr != want {
		t.Errorf("setuid: %s%s", stdout, stderr)
	}
}
