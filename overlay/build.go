package overlay

import (
	"bytes"
	"context"
	"io"
	"os"
)

// Go runs the go command of markgen build and returns its exit code. The error is non-nil only if go
// could not be run at all.
func (b *Build) Go(ctx context.Context) (int, error) {
	return b.goBuild(ctx, b.words("build", nil), func() []string {
		return append([]string{"build", "-o", os.DevNull}, b.plain.Without("o").Words(nil)...)
	})
}

// goBuild runs go with marked source. If the source does not compile, it prints the compiler's
// messages for the user's unmarked source, which have the right columns. plain returns the
// arguments of a build of that source, which must leave no output behind.
func (b *Build) goBuild(ctx context.Context, words []string, plain func() []string) (int, error) {
	held := &heldMessages{w: b.o.Stderr}
	if b.plain.Bool("x") || b.plain.Bool("n") || b.plain.Bool("json") {
		held.all = true
	}
	if !b.eventful() {
		code, err := b.goRun(ctx, b.goEnviron(), words, nil, b.o.Stdout, held)
		if err != nil {
			return code, err
		}
		return code, b.explain(ctx, code, held, plain)
	}
	events := b.events(ctx, b.o.Stdout, plain)
	code, err := b.goRun(ctx, b.goEnviron(), words, nil, events, held)
	if err != nil {
		return code, err
	}
	return code, b.endEvents(events, held)
}

// goRun runs go and waits for it.
func (b *Build) goRun(ctx context.Context, environ, words []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	cmd := goCommand(ctx, b.dir, environ, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return runChild(cmd)
}

// explain prints the messages in held of a build that ended with code. If the original source
// compiles, marking it was wrong, and explain says so.
func (b *Build) explain(ctx context.Context, code int, held *heldMessages, plain func() []string) error {
	if code == 0 || held.kept.Len() == 0 {
		return held.flush()
	}
	var original bytes.Buffer
	cmd := goCommand(ctx, b.dir, b.o.Environ, plain()...)
	cmd.Stdout, cmd.Stderr = io.Discard, &original
	if err := cmd.Run(); err != nil {
		if i := bytes.Index(original.Bytes(), []byte("# ")); i >= 0 {
			_, err := b.o.Stderr.Write(original.Bytes()[i:])
			return err
		}
	}
	if cmd.ProcessState == nil || !cmd.ProcessState.Success() {
		return held.flush()
	}
	x, err := b.explainer()
	if err != nil {
		return err
	}
	kept := x.explain(held.kept.String())
	held.kept.Reset()
	held.kept.WriteString(kept)
	if err := held.flush(); err != nil {
		return err
	}
	x.conclude()
	return nil
}

// heldMessages passes on go's output until the compiler's messages begin ("# import/path"), and
// keeps those.
type heldMessages struct {
	w    io.Writer
	all  bool // pass on everything
	line []byte
	kept bytes.Buffer
}

func (h *heldMessages) Write(p []byte) (int, error) {
	if h.all {
		return h.w.Write(p)
	}
	if h.kept.Len() > 0 {
		return h.kept.Write(p)
	}
	h.line = append(h.line, p...)
	for {
		i := bytes.IndexByte(h.line, '\n')
		if i < 0 {
			return len(p), nil
		}
		if bytes.HasPrefix(h.line, []byte("# ")) {
			h.kept.Write(h.line)
			h.line = nil
			return len(p), nil
		}
		if _, err := h.w.Write(h.line[:i+1]); err != nil {
			return 0, err
		}
		h.line = h.line[i+1:]
	}
}

// flush passes on all kept output.
func (h *heldMessages) flush() error {
	_, err := h.w.Write(append(h.kept.Bytes(), h.line...))
	h.kept.Reset()
	h.line = nil
	return err
}

// named returns the packages that the patterns match.
func (b *Build) named() []*Package {
	var named []*Package
	for _, p := range b.packages {
		if !p.DepOnly {
			named = append(named, p)
		}
	}
	return named
}
