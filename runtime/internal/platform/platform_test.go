package platform

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Results agree with package os, where it has them.
func TestPlatform(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	if want := strings.TrimSuffix(filepath.Base(path), ".exe"); AppName() != want && AppName() != "app" {
		t.Errorf("the executable is %q, want %q", AppName(), want)
	}
	if off := time.Since(time.Unix(0, int64(WallNS()))); WallNS() != 0 && off.Abs() > time.Minute {
		t.Errorf("the wall clock is off by %v", off)
	}
	if Privileged() {
		t.Error("a test has rights that its caller lacks")
	}
	if problem := PollerProblem(); problem != "" {
		t.Errorf("no poller: %s", problem)
	}
	if load, ok := Load(); ok && load > 100_000 {
		t.Errorf("a load of %d %%", load)
	}
}

// CPU time grows with work, by no more than all processors have.
func TestCPUTime(t *testing.T) {
	before, _ := CPUTime()
	begun := time.Now()
	for x := 1; time.Since(begun) < 20*time.Millisecond; x *= 3 {
		_ = x
	}
	after, _ := CPUTime()
	if before == 0 && after == 0 {
		t.Skip("processor time is not known here")
	}
	if most := uint64(time.Since(begun).Nanoseconds()) * uint64(runtime.NumCPU()); after < before || after-before > 2*most {
		t.Errorf("%d ns used, of %d", after-before, most)
	}
}

// A process that has ended is gone, and a running one is not, on systems where ProcessGone is
// implemented.
func TestProcessGone(t *testing.T) {
	if ProcessGone(uint64(os.Getpid())) {
		t.Error("this process is gone")
	}
	if runtime.GOOS == "linux" && !ProcessGone(1<<30) {
		t.Error("there is a process of an id that there cannot be")
	}
}
