package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/overlay"
)

// repeatProgram makes the runs of -runs for a program built by go.
func repeatProgram(ctx context.Context, env *cli.Env, own *ownFlags, args []string) int {
	r, code := repetitionOf(env, own)
	if r == nil {
		return code
	}
	command, err := overlay.ParseCommandLine("run", args)
	if err != nil {
		return env.Wrong("%v", err)
	}
	r.what = "the program"
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	stdin := newReplay(env.Stdin)
	return r.builds(ctx, "run", own, args, func(s *side, b *sideBuild) {
		// Both programs run in the same directory and read the same files there.
		p := &programRuns{env: env, dir: env.Path(command.Dir), stdin: stdin}
		s.first = func(ctx context.Context, c *overlay.Collection) (int, error) {
			build, code := b.prepare(ctx, "run")
			if build == nil {
				return code, nil
			}
			path, code, err := build.Program(context.WithoutCancel(ctx), b.dir)
			if err != nil || path == "" {
				return code, err
			}
			copies := overlay.CopiesOf(path)
			p.argv = func() ([]string, error) {
				path, err := copies.Next()
				if err != nil {
					return nil, err
				}
				return build.Argv(path)
			}
			if s.name == "old" {
				return p.again(ctx, c)
			}
			return p.run(ctx, c, b.env.Stdout, b.env.Stderr)
		}
		s.again = p.again
	})
}

// repeatCommand makes the runs of -runs for a command; -old names another program, whose runs
// alternate with the command's.
func repeatCommand(ctx context.Context, env *cli.Env, own *ownFlags, argv []string) int {
	r, code := repetitionOf(env, own)
	if r == nil {
		return code
	}
	defer r.end()
	if err := r.begin(); err != nil {
		return env.Fail(err)
	}
	r.what = argv[0]
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	stdin := newReplay(env.Stdin)
	for _, s := range r.sides {
		words := argv
		if s.name == "old" {
			words = append([]string{own.old}, argv[1:]...)
			s.shown = "old (" + own.old + ")"
		}
		p := &programRuns{env: env, dir: env.Dir, stdin: stdin, argv: func() ([]string, error) { return words, nil }}
		s.first = func(ctx context.Context, c *overlay.Collection) (int, error) {
			return p.run(ctx, c, env.Stdout, env.Stderr)
		}
		if s.again = p.again; s.name == "old" {
			s.first = p.again
		}
	}
	return r.run(ctx)
}

// programRuns makes the runs of one program.
type programRuns struct {
	env   *cli.Env
	dir   string // directory to run in
	stdin *replay
	argv  func() ([]string, error) // argv returns the command line of the next run
}

// run runs the program once. Signals reach it, too, so it is not killed while it cleans up.
func (p *programRuns) run(ctx context.Context, c *overlay.Collection, stdout, stderr io.Writer) (int, error) {
	argv, err := p.argv()
	if err != nil {
		return cli.Failure, err
	}
	stdin, done, err := p.stdin.open()
	if err != nil {
		return cli.Failure, err
	}
	defer done()
	return overlay.Exec(context.WithoutCancel(ctx), argv, p.dir, c.Environ(p.env.Environ), stdin, stdout, stderr)
}

// again runs the program once more, or for the first time if its output is only shown on failure.
// The output goes to files, which need no reader while it runs, and do not have to be closed by
// processes that it leaves behind.
func (p *programRuns) again(ctx context.Context, c *overlay.Collection) (int, error) {
	var outputs [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		f, err := os.Create(filepath.Join(c.Dir(), name))
		if err != nil {
			return cli.Failure, err
		}
		defer f.Close()
		outputs[i] = f
	}
	code, err := p.run(ctx, c, outputs[0], outputs[1])
	if code == cli.OK && err == nil || ctx.Err() != nil {
		return code, err
	}
	for i, to := range []io.Writer{p.env.Stdout, p.env.Stderr} {
		if _, err := outputs[i].Seek(0, io.SeekStart); err != nil {
			return cli.Failure, err
		}
		if _, err := io.Copy(to, outputs[i]); err != nil {
			return cli.Failure, err
		}
	}
	return code, err
}
