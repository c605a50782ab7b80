package overlay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Go runs the go command of a build verb and returns its exit code. An error
// says that go could not be run at all.
func (b *Build) Go(ctx context.Context) (int, error) {
	return b.goBuild(ctx, b.words("build", nil), func() []string {
		return append([]string{"build", "-o", os.DevNull}, b.plain.Without("o").Words(nil)...)
	})
}

// goBuild runs go with marked source. If it does not compile, the compiler's
// messages are those it has for the source as the user wrote it, with its own
// columns: plain returns the arguments of a build of that, which must leave
// nothing behind.
func (b *Build) goBuild(ctx context.Context, words []string, plain func() []string) (int, error) {
	held := &heldMessages{w: b.o.Stderr}
	if b.plain.Bool("x") || b.plain.Bool("n") || b.plain.Bool("json") {
		held.all = true
	}
	code, err := b.goRun(ctx, b.environ, words, b.o.Stdout, held)
	if err != nil {
		return code, err
	}
	return code, b.explain(ctx, code, held, plain)
}

// goRun runs go and waits for it.
func (b *Build) goRun(ctx context.Context, environ, words []string, stdout, stderr io.Writer) (int, error) {
	cmd := goCommand(ctx, b.dir, environ, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = b.o.Stdin, stdout, stderr
	return runChild(cmd)
}

// explain prints what held kept of a build that ended with code. If go has no
// complaint about the original source, marking it was wrong, and that is said.
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
	if err := held.flush(); err != nil {
		return err
	}
	if cmd.ProcessState != nil && cmd.ProcessState.Success() {
		fmt.Fprintln(b.o.Stderr, "markgen: this source compiles without markers; please report the message above, and leave the package out (-markpkg) until it is mended")
	}
	return nil
}

// heldMessages passes on what go prints until the compiler's messages begin
// ("# import/path"), and keeps these.
type heldMessages struct {
	w    io.Writer
	all  bool // keep nothing
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

// flush passes on all that was kept.
func (h *heldMessages) flush() error {
	_, err := h.w.Write(append(h.kept.Bytes(), h.line...))
	h.kept.Reset()
	h.line = nil
	return err
}

// Program builds the program of a run verb into dir and returns its path, "" if
// go refused; then code is go's.
func (b *Build) Program(ctx context.Context, dir string) (path string, code int, err error) {
	packages := b.plain.Packages()
	switch main := b.named(); {
	case len(packages) == 0:
		return "", 1, fmt.Errorf("go: no go files listed")
	case strings.Contains(packages[0], "@") && !isLocal(packages[0]) && !strings.HasSuffix(packages[0], ".go"):
		return "", 1, fmt.Errorf("%s: packages of other versions cannot be marked; go get it, then name it without a version", packages[0])
	case len(main) > 1:
		var names strings.Builder
		for _, p := range main {
			names.WriteString("\n\t" + p.ImportPath)
		}
		return "", 1, fmt.Errorf("go: pattern %s matches multiple packages:%s", packages[0], names.String())
	case len(main) == 1 && main[0].Error == nil && main[0].Name != "main" && main[0].Name != "":
		return "", 1, fmt.Errorf("package %s is not a main package", main[0].ImportPath)
	}
	out := filepath.Join(dir, "bin") + string(filepath.Separator)
	if err := os.Mkdir(out, 0o700); err != nil {
		return "", 1, err
	}
	build := *b
	build.command = b.command.Without("exec").withoutArgs("build")
	build.plain = b.plain.Without("exec").withoutArgs("build")
	words := build.words("build", nil, "-o", out)
	code, err = build.goBuild(ctx, words, func() []string {
		return append([]string{"build", "-o", os.DevNull}, build.plain.Words(nil)...)
	})
	if err != nil || code != 0 {
		return "", code, err
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		return "", 1, err
	}
	if len(entries) != 1 {
		if b.plain.Bool("n") {
			return "", 0, nil
		}
		return "", 1, fmt.Errorf("go built no program of %s; name a main package", strings.Join(packages, " "))
	}
	return filepath.Join(out, entries[0].Name()), 0, nil
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

// RunProgram runs a program that Program has built, with its arguments and the
// collection's environment, and returns its exit code (128+n for signal n).
func (b *Build) RunProgram(ctx context.Context, path string, c *Collection) (int, error) {
	argv := append([]string{path}, b.plain.Args()...)
	if prefix, ok := b.plain.Flag("exec"); ok {
		words, err := splitQuoted(prefix)
		if err != nil {
			return 1, fmt.Errorf("-exec: %w; quote the words of the command", err)
		}
		argv = append(words, argv...)
	}
	return Exec(ctx, argv, b.dir, c.Environ(b.o.Environ), b.o.Stdin, b.o.Stdout, b.o.Stderr)
}

// Exec runs a program and returns its exit code, 128+n if signal n ended it.
// An error says that it could not be started; the code is then the one that a
// shell has for it. Dir is the program's working directory; a relative
// argv[0] with a slash is relative to it.
func Exec(ctx context.Context, argv []string, dir string, environ []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	name := argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		name = absolute(dir, name)
	}
	cmd := exec.CommandContext(ctx, name, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir, cmd.Env = dir, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	return runChild(cmd)
}
