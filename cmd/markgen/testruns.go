package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
)

// repeatTests makes the runs of -runs for tests.
func repeatTests(ctx context.Context, env *cli.Env, own *ownFlags, args []string) int {
	r, code := repetitionOf(env, own)
	if r == nil {
		return code
	}
	if overlay.OnlyBuilds(args) {
		return env.Wrong("-c only builds; leave it out, or -runs")
	}
	r.what = "the tests"
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	return r.builds(ctx, "test", own, args, func(s *side, b *sideBuild) {
		t := &testRuns{sideBuild: b, to: env}
		s.first, s.again = t.first, t.again
	})
}

// testRuns makes the runs of the tests of one build.
type testRuns struct {
	*sideBuild
	to        *cli.Env // where failures are shown
	build     *overlay.Build
	processes []*overlay.TestProcess
}

func (t *testRuns) first(ctx context.Context, c *overlay.Collection) (code int, err error) {
	if t.build, code = t.prepare(ctx, "test"); t.build == nil {
		return code, nil
	}
	// Signals reach the tests, too; they must not be killed while they clean up.
	t.processes, code, err = t.build.KeepTests(context.WithoutCancel(ctx), c, t.dir)
	if code != cli.OK {
		sayTimedOut(t.env, t.build, c)
	}
	return code, err
}

// again runs the test binaries one after another, unless go's -p says otherwise: on a machine with
// few processors they would disturb each other, more or less by chance. The first failure ends the
// run.
func (t *testRuns) again(ctx context.Context, c *overlay.Collection) (int, error) {
	atOnce := 1
	if text, ok := t.build.Command().Flag("p"); ok {
		n, _ := strconv.Atoi(text)
		atOnce = max(1, n)
	}
	var one sync.Mutex // guards printing
	failed := cli.OK
	g, run := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i, p := range t.processes {
		if run.Err() != nil {
			break
		}
		g.Go(func() error {
			if run.Err() != nil {
				return nil
			}
			// A file needs no reader while the tests run.
			output, err := os.Create(filepath.Join(c.Dir(), "output."+strconv.Itoa(i)))
			if err != nil {
				return err
			}
			defer output.Close()
			start := time.Now()
			code, err := p.Run(context.WithoutCancel(ctx), c, output)
			if code == cli.OK && err == nil || ctx.Err() != nil {
				return nil
			}
			one.Lock()
			defer one.Unlock()
			failed = cli.Failure // exit code of go test, whatever that of the process
			if err != nil {
				fmt.Fprintln(output, err)
			}
			if err := t.show(p, output, code, time.Since(start)); err != nil {
				return err
			}
			return errFailed
		})
	}
	if err := g.Wait(); err != nil && err != errFailed {
		return cli.Failure, err
	}
	return failed, nil
}

// errFailed ends a run in which tests have failed.
var errFailed = fmt.Errorf("tests failed")

// show prints the output of a failing test binary, as go test does.
func (t *testRuns) show(p *overlay.TestProcess, output *os.File, code int, took time.Duration) error {
	text, err := fileread.File(output.Name())
	if err != nil {
		return err
	}
	if code > 128 {
		text = fmt.Appendf(text, "signal: %v\n", syscall.Signal(code-128))
	} else if len(text) == 0 {
		text = fmt.Appendf(text, "exit status %d\n", code)
	} else if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	asJSON := t.build.Command().Bool("json")
	if asJSON {
		text = append(text, '\x16') // marks lines that are not output of the test, see cmd/test2json
	}
	text = fmt.Appendf(text, "FAIL\t%s\t%.3fs\n", p.Package, took.Seconds())
	if !asJSON {
		_, err = t.to.Stdout.Write(text)
		return err
	}
	var stderr strings.Builder
	cmd := exec.Command("go", "tool", "test2json", "-t", "-p", p.Package)
	cmd.Dir, cmd.Env = t.env.Dir, t.env.Environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(text), t.to.Stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go tool test2json: %w %s", err, stderr.String())
	}
	return nil
}
