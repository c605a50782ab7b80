package overlay_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// kept is a program that calls the marked function work once and does what its first argument says.
const kept = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

//perf:mark
func work() {}

func run(args ...string) {
	self, _ := os.Executable()
	c := exec.Command(self, args...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	c.Run()
}

// dataFile is the descriptor of the data file and where it leads.
func dataFile() (path, target string) {
	for fd := 50; fd < 70; fd++ {
		path = fmt.Sprint("/proc/self/fd/", fd)
		if target, _ = os.Readlink(path); strings.Contains(target, "markgen") {
			return path, target
		}
	}
	return "", ""
}

func main() {
	work()
	switch os.Args[1] {
	case "where":
		_, target := dataFile()
		fmt.Println(target)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "truncate":
		path, _ := dataFile()
		fmt.Println(os.Truncate(path, 0))
		work()
	case "descriptors":
		f, _ := os.Open("/dev/null")
		fmt.Println(f.Fd())
		entries, _ := os.ReadDir("/proc/self/fd")
		for _, e := range entries {
			if len(e.Name()) == 1 {
				fmt.Println(e.Name())
			}
		}
		var st syscall.Stat_t
		for fd := range 10 {
			fmt.Println(fd, syscall.Fstat(fd, &st), st.Mode&syscall.S_IFMT)
		}
		out, _ := exec.Command("sh", "-c", "for f in /proc/self/fd/*; do readlink $f; done").Output()
		fmt.Println(strings.Contains(string(out), "markgen"), os.Args, len(os.Environ()))
	case "exec":
		self, _ := os.Executable()
		fmt.Println(syscall.Exec(self, []string{self, "end"}, os.Environ()))
	case "children":
		for range 100 {
			run("end")
		}
		run("kill")
		run("exec")
	case "user", "chroot", "mount": // run the program as another user, or where there are other files
		self, _ := os.Executable()
		c := exec.Command(self, "end")
		c.SysProcAttr = &syscall.SysProcAttr{}
		switch os.Args[1] {
		case "user":
			c.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
		case "chroot":
			c.Path, c.SysProcAttr.Chroot = "/kept", filepath.Dir(self)
		case "mount":
			c = exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs none $TMPDIR && exec $0 end", self)
		}
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			fmt.Println(err)
		}
	case "orphan":
		fmt.Println("ready")
		for os.Getppid() != 1 && syscall.Kill(os.Getppid(), 0) == nil {
			time.Sleep(time.Millisecond)
		}
		run("where")
	case "memory":
		var all [][]byte
		for {
			all = append(all, make([]byte, 1<<20))
			for i := 0; i < 1<<20; i += 4096 {
				all[len(all)-1][i] = 1
			}
		}
	}
}
`

// A keptProgram is the program kept, marked, and the markgen that runs it.
type keptProgram struct{ markgen, program, dir string }

func newKeptProgram(t *testing.T) *keptProgram {
	t.Helper()
	dir := module(t, map[string]string{"main.go": kept})
	k := &keptProgram{trapMarkgen(t), filepath.Join(dir, "kept"), t.TempDir()}
	if text, err := markgenIn(t, dir, t.TempDir(), "build", "-o", k.program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// exec returns markgen exec of the program in mode what; the data are kept in the file data and its
// numbered siblings.
func (k *keptProgram) exec(what string, env ...string) *exec.Cmd {
	cmd := exec.Command(k.markgen, "exec", "-o", "data", "-report", "none", k.program, what)
	cmd.Dir = k.dir
	cmd.Env = append(append(os.Environ(), "MARKGEN="), env...)
	return cmd
}

// run runs the program and returns its output, its exit code, the data files, and the count of work
// in all of them. It removes the data files.
func (k *keptProgram) run(t *testing.T, cmd *exec.Cmd) (output string, code int, files []string, scopes uint64) {
	t.Helper()
	text, _ := cmd.CombinedOutput()
	files, err := filepath.Glob(filepath.Join(k.dir, "data*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		p, err := runfile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range p.Markers {
			scopes += p.Markers[i].Count
		}
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Mode().Perm() != 0o600 || info.Size() > 64<<10 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
		os.Remove(file)
	}
	return string(text), cmd.ProcessState.ExitCode(), files, scopes
}

// The data of a run are in memory that programs cannot truncate, and markgen has them however the
// programs end.
func TestKeeper(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	k := newKeptProgram(t)
	long := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	if err := os.Mkdir(long, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		what          string
		env           string
		output        string // prefix of the output
		code          int
		files, scopes int
	}{
		{"end", "", "", 0, 1, 1},
		{"where", "", "/memfd:markgen (deleted)\n", 0, 1, 1},
		{"where", "TMPDIR=" + long, "/memfd:markgen (deleted)\n", 0, 1, 1},
		{"kill", "", "", 128 + 9, 1, 1},
		{"truncate", "", "truncate /proc/self/fd/60: operation not permitted\n", 0, 1, 2},
		{"exec", "", "", 0, 2, 2}, // one before and one after exec, with the same process ID
		{"children", "", "markgen: 104 processes, ", 0, 104, 104},
	} {
		output, code, files, scopes := k.run(t, k.exec(tt.what, tt.env))
		if !strings.HasPrefix(output, tt.output) || code != tt.code || len(files) != tt.files || scopes != uint64(tt.scopes) {
			t.Errorf("%s %s: exit code %d, %d files, %d scopes, want %d, %d, %d; it printed\n%s",
				tt.what, tt.env, code, len(files), scopes, tt.code, tt.files, tt.scopes, output)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(long, "*")); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}

	// The program sees the same descriptors as the unmarked one.
	plain := exec.Command(k.program, "descriptors")
	plain.Env = append(os.Environ(), "MARKGEN=")
	want, err := plain.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	if output, _, _, _ := k.run(t, k.exec("descriptors")); output != string(want) {
		t.Errorf("the program sees\n%s\nand without markers\n%s", output, want)
	}

	// Go's own report of running out of memory, and its exit code.
	cmd := k.exec("memory")
	cmd.Args = append(cmd.Args[:len(cmd.Args)-2], "sh", "-c", "ulimit -v 1000000; exec "+k.program+" memory")
	output, code, files, scopes := k.run(t, cmd)
	if code != 2 || !strings.Contains(output, "out of memory") || len(files) != 1 || scopes != 1 {
		t.Errorf("out of memory: exit code %d, %d files, %d scopes; it printed\n%.500s", code, len(files), scopes, output)
	}
}

// Data arrive from processes of other users, and from those with another view of the file system.
func TestKeeperReachesOthers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root may start processes of other users")
	}
	k := newKeptProgram(t)
	for dir := filepath.Dir(k.program); dir != filepath.Clean(os.TempDir()); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range []string{"user", "chroot", "mount"} {
		output, code, files, scopes := k.run(t, k.exec(what, "TMPDIR="+t.TempDir()))
		if !strings.HasPrefix(output, "markgen: 2 processes, ") || code != 0 || len(files) != 2 || scopes != 2 {
			t.Errorf("%s: exit code %d, %d files, %d scopes, want 0, 2, 2; it printed\n%s", what, code, len(files), scopes, output)
		}
	}
}

// A process that does not know MARKGEN gets nothing.
func TestKeeperSecret(t *testing.T) {
	t.Parallel()
	c, err := overlay.Collect([]string{"TMPDIR=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, key, _ := strings.Cut(strings.Join(c.Environ(nil), "\n"), "keeper=")
	key, _, _ = strings.Cut(key, ",")
	name, secret, _ := strings.Cut(key, ".")
	ask, answer := secret[:len(secret)/2], secret[len(secret)/2:]
	for _, words := range []string{strings.Repeat("0", len(ask)), answer, ask} {
		s, err := net.DialUnix("unix", nil, &net.UnixAddr{Net: "unix", Name: "@" + name})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Write([]byte(words)); err != nil {
			t.Fatal(err)
		}
		got, rights := make([]byte, 100), make([]byte, 100)
		n, size, _, _, _ := s.ReadMsgUnix(got, rights)
		if words == ask && (string(got[:n]) != answer || size == 0) || words != ask && (n != 0 || size != 0) {
			t.Errorf("%s, which asks by %s, is sent %q with %d bytes of descriptors for %s", name, ask, got[:n], size, words)
		}
	}
}

// A process that cannot keep its data in the file it got is counted as missing.
func TestKeeperMissing(t *testing.T) {
	t.Parallel()
	k := newKeptProgram(t)
	cmd := k.exec("")
	cmd.Args = []string{k.markgen, "exec", "sh", "-c", "$0 end; ulimit -f 1; $0 end", k.program}
	text, err := cmd.CombinedOutput()
	for _, want := range []string{
		"the limit on file sizes (RLIMIT_FSIZE) is reached; collecting in memory only",
		"warning: 1 process began to collect and left no data: ",
		", data missing\n",
		"\nwork  func      1 ",
	} {
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%v, and no %q in\n%s", err, want, text)
		}
	}

	alone := k.exec("")
	alone.Args = []string{k.markgen, "exec", "sh", "-c", "ulimit -f 1; $0 end", k.program}
	text, err = alone.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "warning: 1 process began to collect and left no data: ") || strings.Contains(string(text), "no program with markers ran") {
		t.Errorf("%v, where no process left data:\n%s", err, text)
	}
}

// A process whose keeper is gone, or does not answer, writes a file as it would without a keeper.
func TestKeeperGone(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	k := newKeptProgram(t)
	temp := t.TempDir()
	cmd := k.exec("orphan", "TMPDIR="+temp)
	stdout := &waiter{until: "ready\n", ready: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = stdout, stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.wait(t)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // the orphan must have closed its output, too
	found, _ := filepath.Glob(filepath.Join(temp, "markgen-run-*", "*.markgen"))
	if len(found) != 1 || !strings.HasPrefix(stdout.String(), "ready\n"+temp) || strings.Count(stdout.String(), "\n") != 2 {
		t.Fatalf("files %q; the program printed\n%s", found, stdout)
	}
	if p, err := runfile.Read(found[0]); err != nil || len(p.Markers) != 1 || p.Markers[0].Count != 1 || !p.Complete {
		t.Errorf("%+v, %v", p, err)
	}

	// A listener that never accepts, one that closes the connection, and one that has taken the
	// name of a keeper but does not know its secret.
	for _, kind := range []string{"deaf", "hangs up", "another's"} {
		socket := fmt.Sprint("markgen-test-", os.Getpid(), strings.ReplaceAll(kind, " ", ""))
		l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: "@" + socket})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if kind != "deaf" {
			go func() {
				for {
					c, err := l.AcceptUnix()
					if err != nil {
						return
					}
					if kind == "another's" {
						f, err := os.Create(filepath.Join(temp, "theirs"))
						if err == nil {
							c.WriteMsgUnix([]byte("different"), syscall.UnixRights(int(f.Fd())), nil)
							f.Close()
						}
					}
					c.Close()
				}
			}()
		}
		cmd := exec.Command(k.program, "where")
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "MARKGEN=keeper="+socket+".question1expected1,file=data.markgen")
		begin := time.Now()
		text, err := cmd.CombinedOutput()
		if err != nil || string(text) != filepath.Join(cmd.Dir, "data.markgen")+"\n" || time.Since(begin) > 20*time.Second {
			t.Errorf("%s: %v after %v; it printed\n%s", kind, err, time.Since(begin), text)
		}
	}
}

// The kernel kills a process when its control group runs out of memory.
func TestKeeperOutOfMemory(t *testing.T) {
	t.Parallel()
	group, err := os.MkdirTemp("/sys/fs/cgroup/memory", "markgen-test-")
	limit := "memory.limit_in_bytes"
	if err != nil { // not cgroup version 1
		group, err = os.MkdirTemp("/sys/fs/cgroup", "markgen-test-")
		limit = "memory.max"
	}
	if err != nil {
		t.Skip("no control group can be made in /sys/fs/cgroup")
	}
	defer os.Remove(group)
	if err := os.WriteFile(filepath.Join(group, limit), []byte("50000000"), 0o666); err != nil {
		t.Skip("control groups have no limit of memory here")
	}
	k := newKeptProgram(t)
	cmd := k.exec("memory")
	cmd.Args = append(cmd.Args[:len(cmd.Args)-2], "sh", "-c", "echo $$ >"+group+"/cgroup.procs && exec "+k.program+" memory")
	output, code, files, scopes := k.run(t, cmd)
	if code != 128+9 || len(files) != 1 || scopes != 1 {
		t.Errorf("exit code %d, %d files, %d scopes; it printed\n%.500s", code, len(files), scopes, output)
	}
	for range 100 { // the kernel needs some time to empty the group
		if os.Remove(group) == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
}
