package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/isolate"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile/runfile"
)

// A scenarioFunc runs the processes of a pass. Output goes to a file, which needs no reader while
// they run.
type scenarioFunc func(ctx context.Context, c *overlay.Collection, output *os.File) (code int, err error)

// buildTests builds the tests that the arguments of go test name, into dir.
func buildTests(ctx context.Context, e *cli.Env, own *ownFlags, args []string, dir string) ([]*overlay.TestProcess, int, error) {
	env := *e
	var out bytes.Buffer // the results of go test, which runs no tests here; standard output is for the table
	env.Stdout = &out
	build, code := prepare(ctx, &env, "test", own, args)
	if build == nil {
		return nil, code, errBuild
	}
	processes, code, err := build.BuildTests(ctx, dir)
	if code != cli.OK && err == nil {
		_, _ = out.WriteTo(env.Stderr)
		err = errBuild
	}
	return processes, code, err
}

// A builtProgram is a program with its command line and the directory in which it runs.
type builtProgram struct {
	path string
	argv []string
	dir  string
}

// buildProgram builds the program that the arguments of go run name, into dir.
func buildProgram(ctx context.Context, e *cli.Env, own *ownFlags, args []string, dir string) (*builtProgram, int, error) {
	build, code := prepare(ctx, e, "run", own, args)
	if build == nil {
		return nil, code, errBuild
	}
	path, code, err := build.Program(ctx, dir)
	if err == nil && path == "" {
		err = errBuild
	}
	if err != nil {
		return nil, code, err
	}
	p := &builtProgram{path: path, dir: e.Path(build.Command().Dir)}
	p.argv, err = build.Argv(path)
	return p, cli.Failure, err
}

// runTests returns a function that runs test binaries one after another.
func runTests(processes []*overlay.TestProcess) scenarioFunc {
	return func(ctx context.Context, c *overlay.Collection, output *os.File) (code int, err error) {
		for _, p := range processes {
			one, err := p.Run(ctx, c, output)
			if err != nil {
				return one, err
			}
			if code == cli.OK {
				code = one
			}
			if ctx.Err() != nil {
				break
			}
		}
		return code, nil
	}
}

// runCommand returns a function that runs a command line.
func runCommand(e *cli.Env, argv []string, dir string, stdin *replay) scenarioFunc {
	return func(ctx context.Context, c *overlay.Collection, output *os.File) (int, error) {
		in, done, err := stdin.open()
		if err != nil {
			return cli.Failure, err
		}
		defer done()
		return overlay.Exec(ctx, argv, dir, c.Environ(e.Environ), in, output, output)
	}
}

// mostOutput is the maximum number of bytes kept of a pass's output, from its end.
const mostOutput = 1 << 20

// interruptedBoth is how much later than the scenario this process may receive a signal that is
// sent to both.
const interruptedBoth = 200 * time.Millisecond

// onePass runs a scenario once and reads its data. MARKGEN is that of environ. A pass that fails or
// takes longer than the timeout is no error. setUp is called before it runs.
func onePass(ctx context.Context, environ []string, timeout time.Duration, run scenarioFunc, setUp func(*overlay.Collection) error) (*isolate.Pass, error) {
	c, err := overlay.Collect(environ)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := setUp(c); err != nil {
		return nil, err
	}
	output, err := os.Create(filepath.Join(c.Dir(), "output"))
	if err != nil {
		return nil, err
	}
	defer output.Close()
	// An interrupt reaches the scenario, too. It must not be killed while it cleans up.
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
	defer cancel()
	start := time.Now()
	code, err := run(limited, c, output)
	took := time.Since(start)
	if code != cli.OK {
		select { // the scenario may have ended by an interrupt that this process has not received yet
		case <-ctx.Done():
		case <-time.After(interruptedBoth):
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	pass := &isolate.Pass{Code: code, TimedOut: limited.Err() != nil, Took: took}
	if pass.Output, err = tail(output); err != nil {
		return nil, err
	}
	files, err := c.Files()
	if err != nil {
		return nil, err
	}
	var sum runfile.Sum
	var unread []string
	for _, file := range files {
		if err := sum.AddFile(file); err != nil {
			unread = append(unread, err.Error())
		}
	}
	pass.Profile = sum.Profile()
	pass.Profile.Complete = pass.Profile.Complete && c.Complete()
	pass.Profile.Warnings = append(pass.Profile.Warnings, append(unread, c.Warnings()...)...)
	for i, warning := range pass.Profile.Warnings { // the directory will be removed
		pass.Profile.Warnings[i] = strings.TrimPrefix(warning, c.Dir()+string(filepath.Separator))
	}
	return pass, nil
}

// tail returns the end of a file's content.
func tail(f *os.File) ([]byte, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(size, mostOutput))
	_, err = f.ReadAt(text, size-int64(len(text)))
	return text, err
}
