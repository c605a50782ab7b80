package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A process is one run of a command, with all that it started in turn.
type process struct {
	wall, cpu float64 // seconds; cpu is user and system time together
	peak      float64 // bytes: of the command itself, without those it started; 0 if it is not known
}

// values are what is written of a process.
func (p process) values() []benchfmt.Value {
	return []benchfmt.Value{{Value: p.wall, Unit: "sec/op"}, {Value: p.cpu, Unit: "cpu-sec/op"}}
}

// runProcess runs a command and says what it printed if it fails.
func runProcess(ctx context.Context, dir string, environ []string, words ...string) (process, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnviron(), environ...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return process{}, err
	}
	ended := make(chan struct{})
	peak := watch(cmd.Process.Pid, ended)
	err := cmd.Wait()
	wall := time.Since(begin)
	close(ended)
	if err != nil {
		return process{}, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, printed.Bytes())
	}
	state := cmd.ProcessState
	return process{wall.Seconds(), (state.UserTime() + state.SystemTime()).Seconds(), <-peak}, nil
}

// cleanEnviron is the environment without what would change what is compared.
func cleanEnviron() []string {
	var environ []string
	for _, kv := range os.Environ() {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "MARKGEN", "MARKGENCACHE", "GOCACHE", "GOFLAGS", "GOWORK", "GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG":
		default:
			environ = append(environ, kv)
		}
	}
	return append(environ, "GOFLAGS=-buildvcs=false")
}

// watch reads the largest resident size that a process has had, until it ends.
// Wait4's account is of no use here: it is that of the largest process among
// all that were started.
func watch(pid int, ended <-chan struct{}) <-chan float64 {
	peak := make(chan float64, 1)
	go func() {
		var seen float64
		name := fmt.Sprintf("/proc/%d/status", pid)
		for {
			if text, err := os.ReadFile(name); err == nil {
				seen = max(seen, memorySize(string(text), "VmHWM"))
			}
			select {
			case <-ended:
				peak <- seen
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return peak
}

// memorySize is a line of /proc/PID/status, bytes: VmRSS, or VmHWM, the largest
// that it has been.
func memorySize(status, key string) float64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// combined runs a command and returns what it prints on both outputs.
func combined(ctx context.Context, dir string, words ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = cleanEnviron()
	text, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(words, " "), err, text)
	}
	return text, nil
}

// output runs a command and returns what it prints.
func output(ctx context.Context, dir string, environ []string, words ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(cleanEnviron(), environ...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(words, " "), err, text, stderr.Bytes())
	}
	return text, nil
}

// moduleDir is where this module is, with the programs that are measured.
func moduleDir(ctx context.Context) (string, error) {
	text, err := output(ctx, "", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/markgen/markgen/bench")
	return strings.TrimSpace(string(text)), err
}

// goRoot is where the standard library is.
func goRoot(ctx context.Context) (string, error) {
	text, err := output(ctx, "", nil, "go", "env", "GOROOT")
	return strings.TrimSpace(string(text)), err
}

// removeAll removes a directory, also where files of it may not be written.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o777) // RemoveAll says it if this was needed and failed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// ownPeak is the most memory that this process has had, bytes; 0 where that can't be told.
func ownPeak() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return memorySize(string(text), "VmHWM")
}
