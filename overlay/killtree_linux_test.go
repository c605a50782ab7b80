package overlay

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A program that is killed takes its children with it.
func TestExecEnded(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go func() {
		code, _ := Exec(ctx, []string{"sh", "-c", "sh -c 'echo $$ > pid.tmp; mv pid.tmp pid; sleep 1000; true'; true"}, dir, os.Environ(), nil, io.Discard, io.Discard)
		ended <- code
	}()
	var pid int
	for pid == 0 {
		if text, err := os.ReadFile(filepath.Join(dir, "pid")); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		}
		time.Sleep(time.Millisecond)
	}
	for len(descendants(pid)) == 0 { // the child may be mv, or already sleep
		time.Sleep(time.Millisecond)
	}
	all := append(descendants(pid), pid)
	cancel()
	if code := <-ended; code != exitSignal+int(syscall.SIGKILL) {
		t.Errorf("exit code %d", code)
	}
	for _, pid := range all {
		for syscall.Kill(pid, 0) == nil {
			if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err != nil || strings.Contains(string(stat), ") Z ") {
				break // its new parent has not reaped it yet
			}
			time.Sleep(time.Millisecond)
		}
	}
}
