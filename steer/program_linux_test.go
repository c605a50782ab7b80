package steer_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/steer"
	"github.com/markgen/markgen/tier"
)

// program is steered by the tests: it calls hot as often as it can until its input ends, and then
// prints the number of calls. At each byte of input it switches to late and counts its calls, or
// back, and prints that (with one goroutine only).
const program = `package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

var passed, stop, turn, turned, others atomic.Int64

//perf:mark
func hot(n int64) int64 {
	for range 64 {
		n = n*6364136223846793005 + 1
	}
	return n
}

//perf:mark
func late(n int64) int64 {
	for range 64 {
		n = n*6364136223846793005 + tiny(n)
	}
	return n
}

//perf:mark count
func tiny(n int64) int64 { return n & 1 }

//perf:mark
func cold() {}

//perf:mark
func toggled() int64 {
	//perf:pause
	n := hot(1)
	//perf:resume
	return n
}

func main() {
	if os.Args[1] == "close" {
		for fd := 3; fd < 256; fd++ {
			syscall.Close(fd)
		}
	}
	var wg sync.WaitGroup
	for range map[bool]int{true: 1, false: 2}[os.Args[1] == "alone"] {
		wg.Go(func() {
			for n := int64(0); stop.Load() == 0; n++ {
				now := turn.Load()
				turned.Store(now)
				if now%2 != 0 {
					n += late(n) & 1
					others.Add(1)
					continue
				}
				n += hot(n) & 1
				if os.Args[1] == "toggle" {
					n += toggled()
					passed.Add(1)
				}
				passed.Add(1)
			}
		})
	}
	cold()
	fmt.Println("ready", os.Getpid())
	for b := []byte{0}; ; {
		if _, err := os.Stdin.Read(b); err != nil {
			break
		}
		for now := turn.Add(1); os.Args[1] == "alone" && turned.Load() != now; {
			runtime.Gosched()
		}
		fmt.Println("turn", turn.Load())
	}
	stop.Store(1)
	wg.Wait()
	fmt.Println("passed", passed.Load())
	fmt.Println("late", others.Load())
}
`

// built is the command and the program marked by it.
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "markgen-steer-"); err != nil {
		return "", err
	}
	run := func(in string, name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Dir = in
		cmd.Env = append(os.Environ(), "GOPROXY=off", "MARKGEN=")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", cmd, err, text)
		}
		return nil
	}
	for name, text := range map[string]string{"go.mod": "module example.com/hot\n\ngo 1.26\n", "main.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return dir, err
		}
	}
	return dir, errors.Join(os.Chmod(dir, 0o755),
		run(".", "go", "build", tier.Flags, "-o", filepath.Join(dir, "markgen"), "../cmd/markgen"),
		run(dir, filepath.Join(dir, "markgen"), "build", tier.Flags, "-o", "hot", "."))
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := built(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// running is a running program.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	pid   int
	file  string // data file; under exec, where the data are kept at the end
	in    io.Writer
	end   func() // ends its input
	late  int64  // number of calls of late, after its end
	lines *bufio.Scanner
	err   bytes.Buffer
}

// start runs the program in a mode, under exec or directly. markgen is added to the settings in
// MARKGEN.
func start(t *testing.T, underExec bool, markgen, mode string) *running {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, file: filepath.Join(t.TempDir(), "data")}
	if underExec {
		r.cmd = exec.Command(filepath.Join(dir, "markgen"), "exec", "-report", "none", "-o", r.file, filepath.Join(dir, "hot"), mode)
		r.cmd.Env = append(os.Environ(), "MARKGEN="+markgen)
	} else {
		r.cmd = exec.Command(filepath.Join(dir, "hot"), mode)
		r.cmd.Env = append(os.Environ(), "MARKGEN=file="+r.file+","+markgen)
	}
	r.cmd.Stderr = &r.err
	in, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.in, r.end = in, sync.OnceFunc(func() { in.Close() })
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.end(); r.cmd.Wait() })
	r.lines = bufio.NewScanner(out)
	r.pid = int(r.number("ready"))
	return r
}

// turn makes the program switch to late, or back.
func (r *running) turn() {
	r.t.Helper()
	if _, err := r.in.Write([]byte{0}); err != nil {
		r.t.Fatal(err)
	}
	r.number("turn")
}

// number reads the next line of the program's output, a word and a number.
func (r *running) number(word string) int64 {
	r.t.Helper()
	if !r.lines.Scan() {
		r.t.Fatalf("the program ended: %s", r.err.String())
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(r.lines.Text(), word+" "), 10, 64)
	if err != nil {
		r.t.Fatalf("%q: %v", r.lines.Text(), err)
	}
	return n
}

// finish ends the program, which must succeed, and returns the number of calls of hot and the
// collected data.
func (r *running) finish() (int64, *profile.Profile) {
	r.t.Helper()
	r.end()
	n := r.number("passed")
	r.late = r.number("late")
	if err := r.cmd.Wait(); err != nil || r.err.Len() > 0 {
		r.t.Fatalf("%v: %s", err, r.err.String())
	}
	p, err := runfile.Read(r.file)
	if err != nil {
		r.t.Fatal(err)
	}
	// Beside other work, recording may take most of a window: then the estimates are said to be
	// unreliable.
	if w := slices.DeleteFunc(p.Warnings, func(w string) bool { return strings.Contains(w, " unreliable: ") }); !p.Complete || len(w) > 0 {
		r.t.Errorf("%s: %q", p.State, w)
	}
	return n, p
}

func (r *running) open() *steer.Process {
	r.t.Helper()
	p, err := steer.Open(strconv.Itoa(r.pid), "")
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { p.Close() })
	return p
}

// ctl returns a ctl command, for which the caller may set another user.
func (r *running) ctl(args ...string) *exec.Cmd {
	dir, _ := built()
	return exec.Command(filepath.Join(dir, "markgen"), append([]string{"ctl"}, args...)...)
}

// count returns the number of calls of a marker so far.
func count(t *testing.T, p *steer.Process, name string) uint64 {
	t.Helper()
	all, err := p.Profile()
	if err != nil {
		t.Fatal(err)
	}
	return counted(t, all, name)
}

func counted(t *testing.T, p *profile.Profile, name string) uint64 {
	t.Helper()
	return find(t, p, name).Count
}

// A hot loop is paused and resumed from outside, and its markers are turned on and off, each within
// 100 ms; the program keeps running and computes the same.
func TestHotLoop(t *testing.T) {
	tier.Test(t)
	for _, underExec := range []bool{false, true} {
		r := start(t, underExec, "collect=time", "run")
		p := r.open()
		for i, step := range []struct {
			do      func() error
			collect bool
		}{
			{func() error { return nil }, true},
			{p.Pause, false},
			{p.Resume, true},
			{func() error { return p.Set("off=*.hot") }, false},
			{func() error { return p.Set("on=*.hot") }, true},
			{func() error { return p.Set("only=*.cold") }, false},
			{func() error { return p.Set("skip=*.cold") }, true},
			{p.Pause, false},
			{func() error { return p.Set("on=*") }, false},
			{p.Resume, true},
			{p.Stop, false},
		} {
			begun := time.Now()
			if err := step.do(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			took := time.Since(begun)
			time.Sleep(max(0, 100*time.Millisecond-took))
			if collects(t, p) != step.collect {
				t.Errorf("exec %v, step %d: that hot is collected is not %v", underExec, i, step.collect)
			}
			if took > 100*time.Millisecond {
				t.Logf("exec %v, step %d took %v", underExec, i, took)
			}
			if off := hotOff(t, p); step.collect != (off == 0) {
				t.Errorf("exec %v, step %d: its word is %#x", underExec, i, off)
			}
		}
		n, all := r.finish()
		if got := counted(t, all, "hot"); got == 0 || got >= uint64(n) {
			t.Errorf("%d scopes of %d were counted", got, n)
		}
	}
}

// collects reports whether hot is collected: it compares its count now and 100 ms later, and waits
// longer if collecting is expected, for busy machines.
func collects(t *testing.T, p *steer.Process) bool {
	t.Helper()
	off, before := hotOff(t, p), count(t, p, "hot")
	for range map[bool]int{true: 100, false: 1}[off == 0] {
		time.Sleep(100 * time.Millisecond)
		if count(t, p, "hot") > before+openAtMost {
			return true
		}
	}
	return false
}

// openAtMost is the maximum number of open scopes of hot when it is turned off. They are collected
// when they end, which is late if a goroutine waits for a processor.
const openAtMost = 2

// hotOff returns the Off word of the marker hot.
func hotOff(t *testing.T, p *steer.Process) uint32 {
	t.Helper()
	off, _, err := p.Words("example.com/hot.hot")
	if err != nil {
		t.Fatal(err)
	}
	if off&^layout.OffSettled == layout.OffDemoted { // it is still counted
		return 0
	}
	return off
}

// The program pauses and resumes itself all the time, and so do three processes from outside, some
// of which are killed in between. Afterwards the words of its markers agree with the state, and the
// program was not affected.
func TestRaces(t *testing.T) {
	r := start(t, false, "collect=time", "toggle")
	pid := strconv.Itoa(r.pid)
	var wg sync.WaitGroup
	end := time.Now().Add(1500 * time.Millisecond)
	for i := range 3 {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		wg.Go(func() {
			for time.Now().Before(end) {
				cmd := r.ctl(pid, []string{"pause", "resume"}[random.IntN(2)])
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				if i > 0 {
					time.Sleep(time.Duration(random.IntN(8000)) * time.Microsecond)
					cmd.Process.Kill()
				}
				cmd.Wait()
			}
		})
	}
	wg.Wait()
	if text, err := r.ctl(pid, "set", "off=*.toggled*").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, text)
	}
	p := r.open()
	if err := p.Stop(); err != nil {
		t.Error(err)
	}
	time.Sleep(50 * time.Millisecond)
	if off := hotOff(t, p); off&layout.OffByState == 0 || collects(t, p) {
		t.Errorf("stopped, but hot is collected, or looks as if it were: Off is %#x", off)
	}
	n, all := r.finish()
	if got := counted(t, all, "hot"); got == 0 || got > uint64(n) {
		t.Errorf("%d scopes of %d were counted", got, n)
	}
}

// Counters count after a program was started from outside.
func TestCountersStarted(t *testing.T) {
	r := start(t, false, "start=after:1h", "alone")
	r.turn()
	time.Sleep(20 * time.Millisecond)
	p := r.open()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	for tries := 0; count(t, p, "late") == 0 && tries < 1000; tries++ {
		time.Sleep(10 * time.Millisecond)
	}
	_, all := r.finish()
	if late, tiny := counted(t, all, "late"), counted(t, all, "tiny"); late == 0 || tiny != 64*late {
		t.Errorf("%d scopes of late, and %d of tiny in them", late, tiny)
	}
}

// Counters stop if the state says so, whoever has changed it.
func TestCountersPaused(t *testing.T) {
	for _, verb := range []string{"pause", "stop"} {
		r := start(t, false, "collect=time", "alone")
		r.turn()
		p := r.open()
		for tries := 0; count(t, p, "late") == 0 && tries < 1000; tries++ {
			time.Sleep(10 * time.Millisecond)
		}
		if err := p.Do(verb); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		_, all := r.finish()
		if late, tiny := counted(t, all, "late"), counted(t, all, "tiny"); late == 0 || tiny != 64*late {
			t.Errorf("%s: %d scopes of late, and %d of tiny in them", verb, late, tiny)
		}
	}
}

// The data file of a program that has closed its descriptors is found by its mappings.
func TestClosedDescriptors(t *testing.T) {
	r := start(t, false, "collect=time", "close")
	p := r.open()
	if err := p.Pause(); err != nil {
		t.Error(err)
	}
	if off := hotOff(t, p); off&layout.OffByState == 0 {
		t.Errorf("Off is %#x", off)
	}
}

// Targets finds programs among all processes: running directly, also with closed descriptors, and
// under exec, which is not itself a target.
func TestTargets(t *testing.T) {
	for _, r := range []*running{start(t, false, "collect=time", "run"), start(t, false, "collect=time", "close"), start(t, true, "collect=time", "run")} {
		if err := r.open().Pause(); err != nil {
			t.Fatal(err)
		}
		list, ok := steer.Targets()
		if !ok {
			t.Fatal("no processes are seen")
		}
		var of []steer.Target
		for _, target := range list {
			if target.PID == r.pid {
				of = append(of, target)
			}
		}
		if len(of) != 1 || of[0].File != r.file && !of[0].InMemory() || of[0].App != "hot" || of[0].State != steer.Paused || !of[0].Running || of[0].Command != strings.Join(r.cmd.Args[len(r.cmd.Args)-2:], " ") {
			t.Errorf("process %d: %+v", r.pid, of)
		}
		if !slices.IsSortedFunc(list, func(a, b steer.Target) int { return a.PID - b.PID }) {
			t.Errorf("not by their IDs: %+v", list)
		}
		if err := r.open().Resume(); err != nil {
			t.Fatal(err)
		}
		r.finish()
		list, _ = steer.Targets()
		if slices.ContainsFunc(list, func(target steer.Target) bool { return target.PID == r.pid }) {
			t.Errorf("process %d has ended, and is still listed", r.pid)
		}
	}
}

// Another user is refused, by process and by file, and nothing changes.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only the superuser can be another user")
	}
	r := start(t, false, "collect=time", "run")
	if err := os.Chmod(filepath.Dir(r.file), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(r.file); dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for target, want := range map[string]string{
		strconv.Itoa(r.pid): fmt.Sprintf("markgen ctl: process %d: it belongs to user 0: only its owner can read or steer it\n", r.pid),
		r.file:              fmt.Sprintf("markgen ctl: %s: its data file belongs to user 0: only its owner can read or steer it\n", r.file),
	} {
		cmd := r.ctl(target, "pause")
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		text, err := cmd.CombinedOutput()
		if string(text) != want || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%v: %s", err, text)
		}
	}
	cmd := r.ctl()
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if text, err := cmd.CombinedOutput(); strings.Contains(string(text), r.file) || cmd.ProcessState.ExitCode() > 1 {
		t.Errorf("%v: %s", err, text)
	}
	if s, err := r.open().State(); err != nil || s != steer.Profiling {
		t.Errorf("the state is %v, %v", s, err)
	}
	r.finish()
}

// Anything but a collecting marked program is refused with a one-line message.
func TestBadProcesses(t *testing.T) {
	r := start(t, true, "collect=time", "run")
	for target, want := range map[string]string{
		strconv.Itoa(os.Getpid()):        fmt.Sprintf("process %d: no data file; ", os.Getpid()),
		strconv.Itoa(r.cmd.Process.Pid):  fmt.Sprintf("process %d: it has the data of other processes open; give one of these: %d", r.cmd.Process.Pid, r.pid),
		"2147483647":                     "process 2147483647: there is no such process; give the ID of a running process, or its data file",
		"99999999999999":                 "99999999999999: there is no such file; ",
		fmt.Sprintf("/proc/%d/", r.pid):  fmt.Sprintf("/proc/%d/: not a regular file", r.pid),
		fmt.Sprintf("/proc/%d/x", r.pid): fmt.Sprintf("/proc/%d/x: there is no such file", r.pid),
	} {
		p, err := steer.Open(target, "")
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", target, err, want)
		}
	}
	r.finish()
}
