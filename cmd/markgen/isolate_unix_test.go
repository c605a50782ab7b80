//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/markgen/markgen/tier"
)

// slowModule writes a module whose test appends to the file began when it begins, and from the
// second time on waits while the file stay exists. It returns the module's directory and an
// environment for commands in it.
func slowModule(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m.go": `package m

func A(n int) int { return B(n) + B(n) }

func B(n int) int {
	for i := range n {
		n += i
	}
	return n
}
`,
		"m_test.go": `package m

import (
	"io"
	"os"
	"testing"
	"time"
)

func TestA(t *testing.T) {
	A(100)
	f, err := os.OpenFile("began", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("x")
	pass, _ := f.Seek(0, io.SeekCurrent)
	f.Close()
	if _, err := os.Stat("stay"); err == nil && pass > 1 {
		time.Sleep(time.Minute)
	}
	A(100)
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tmp := t.TempDir()
	return dir, append(os.Environ(), "MARKGEN=", "GOFLAGS="+tier.CachedFlags(), "GOWORK=", "GOTMPDIR=", "TMPDIR="+tmp, "MARKGENCACHE="+t.TempDir())
}

// A signal leaves the complete passes and prints how to resume; the same command does so: it
// repeats no pass, and prints the same table as an uninterrupted run.
func TestIsolateInterrupted(t *testing.T) {
	tier.Test(t)
	for _, tt := range []struct {
		name string
		args []string
		kill syscall.Signal
		code int
		said string
	}{
		{"ctrl-C", []string{"-o", "work"}, syscall.SIGINT, 130, "markgen isolate: interrupt; 1 complete pass is in work; the same command with -o work goes on from there\n"},
		{"without -o", nil, syscall.SIGTERM, 143, "the same command with -o "},
		{"kill -9", []string{"-o", "work"}, syscall.SIGKILL, -1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.args == nil {
				tier.Corpus(t)
			}
			dir, env := slowModule(t)
			if err := os.WriteFile(filepath.Join(dir, "stay"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			cmd := exec.Command("markgen", append([]string{"isolate"}, append(tt.args, ".")...)...)
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			cmd.WaitDelay = time.Second
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			began := func() string {
				text, _ := os.ReadFile(filepath.Join(dir, "began"))
				return string(text)
			}
			for len(began()) < 2 {
				time.Sleep(5 * time.Millisecond)
			}
			if err := syscall.Kill(-cmd.Process.Pid, tt.kill); err != nil { // to the whole group, as a terminal does
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(stderr.String(), tt.said) || stdout.Len() > 0 {
				t.Errorf("exit code %d, want %d; stdout %q, stderr %q", code, tt.code, stdout.String(), stderr.String())
			}
			args := tt.args
			if args == nil { // as the message said
				_, after, _ := strings.Cut(stderr.String(), "with -o ")
				folder, _, _ := strings.Cut(after, " ")
				args = []string{"-o", folder}
			}
			if err := errors.Join(os.Remove(filepath.Join(dir, "began")), os.Remove(filepath.Join(dir, "stay"))); err != nil {
				t.Fatal(err)
			}
			again := exec.Command("markgen", append([]string{"isolate"}, append(args, ".")...)...)
			again.Dir, again.Env = dir, env
			out, err := again.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if n := len(began()); n != 2 {
				t.Errorf("%d passes were made to go on, want 2\n%s", n, out)
			}
			for _, want := range []string{"A 2", "B 4", "markgen isolate: 1 pass is in", "2 functions in 2 groups, the fewest there can be; 3 passes of the scenario"} {
				if !fieldsIn(string(out), want) {
					t.Errorf("no line %q in\n%s", want, out)
				}
			}
		})
	}
}

// fieldsIn reports whether a line of the text begins with the words.
func fieldsIn(text, words string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.Join(strings.Fields(line), " ")+" ", strings.Join(strings.Fields(words), " ")+" ") {
			return true
		}
	}
	return false
}
