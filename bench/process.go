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

// A process is the result of one run of a command, including the processes it started.
type process struct {
	wall, cpu float64 // seconds; cpu is user plus system time
	peak      float64 // peak memory of the command itself, without child processes, in bytes; 0 if unknown
}

// values returns the times in the format of benchmark results.
func (p process) values() []benchfmt.Value {
	return []benchfmt.Value{{Value: p.wall, Unit: "sec/op"}, {Value: p.cpu, Unit: "cpu-sec/op"}}
}

// runProcess runs a command. If it fails, the error includes its output.
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

// cleanEnviron returns the environment without the variables that would distort a comparison.
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

// watch polls the maximum resident size of a process until ended is closed, then sends it, in
// bytes. Wait4's maxrss does not serve here: it is the maximum over the command and all its
// children.
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

// untilMain runs a program that prints the time at which its main began, and returns how long after
// its start that was, in ns.
func untilMain(ctx context.Context, dir string, environ []string, words ...string) (float64, error) {
	begin := time.Now().UnixNano()
	text, err := output(ctx, dir, environ, words...)
	if err != nil {
		return 0, err
	}
	var begun int64
	_, err = fmt.Sscan(string(text), &begun)
	return float64(begun - begin), err
}

// memorySize returns a value of /proc/PID/status in bytes: VmRSS, the resident size, or VmHWM, its
// maximum so far.
func memorySize(status, key string) float64 {
	for line := range strings.Lines(status) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kilobytes * 1024
		}
	}
	return 0
}

// combined runs a command and returns its combined standard output and standard error.
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

// output runs a command and returns its standard output.
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

// moduleDir returns the directory of this module, which has the measured programs.
func moduleDir(ctx context.Context) (string, error) {
	text, err := output(ctx, "", nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/markgen/markgen/bench")
	return strings.TrimSpace(string(text)), err
}

// goRoot returns GOROOT.
func goRoot(ctx context.Context) (string, error) {
	text, err := output(ctx, "", nil, "go", "env", "GOROOT")
	return strings.TrimSpace(string(text)), err
}

// removeAll removes a directory, including read-only directories in it.
func removeAll(dir string) error {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o777) // RemoveAll reports the failures that matter
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// ownPeak returns the maximum resident size of this process in bytes; 0 if unknown.
func ownPeak() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	return memorySize(string(text), "VmHWM")
}
