package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Program builds the program of markgen run and returns its path in dir, or "" and go's exit code if
// the build failed. Like go run, it keeps the program, so that an unchanged one need not be linked
// again.
func (b *Build) Program(ctx context.Context, dir string) (path string, code int, err error) {
	if err := b.checkProgram(); err != nil {
		return "", 1, err
	}
	build := *b
	build.command = b.command.Without("exec").withoutArgs("build")
	build.plain = b.plain.Without("exec").withoutArgs("build")
	kept := filepath.Join(b.cache.dir, "program", hashOf(append(build.plain.Words(nil), b.identity()...)...))
	unlock, err := lockDir(kept)
	if err != nil {
		kept = filepath.Join(dir, "build") // without locks, build for this run only
	} else {
		defer unlock()
	}
	for range 2 {
		words := build.words("build", nil, "-o", kept+string(filepath.Separator))
		code, err = build.goBuild(ctx, words, func() []string {
			return append([]string{"build", "-o", os.DevNull}, build.plain.Words(nil)...)
		})
		if err != nil || code != 0 || b.plain.Bool("n") {
			return "", code, err
		}
		programs, err := programsIn(kept)
		if err != nil {
			return "", 1, err
		}
		if len(programs) == 1 {
			now := time.Now()
			_ = os.Chtimes(kept, now, now) // marks it as used, see Cache.trim
			path = filepath.Join(dir, "bin", filepath.Base(programs[0]))
			return path, 0, linkOrCopy(path, programs[0])
		}
		for _, path := range programs { // old programs with another name
			_ = os.Remove(path)
		}
	}
	return "", 1, fmt.Errorf("go built no program of %s; name a main package", strings.Join(b.plain.Packages(), " "))
}

// WorkDir creates a directory for the program in the cache. Like go run, which runs programs from
// its cache, this does not need a temporary directory that allows execution. The caller must close
// it.
func (b *Build) WorkDir() (*WorkDir, error) {
	base := filepath.Join(b.cache.dir, "run")
	if err := os.MkdirAll(base, 0o777); err != nil {
		return nil, err
	}
	return NewWorkDir(base)
}

// programsIn lists the files in a directory, except for the lock.
func programsIn(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.Name() != lockName {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, err
}

// checkProgram rejects what go run rejects, before anything is built.
func (b *Build) checkProgram() error {
	packages := b.plain.Packages()
	for _, name := range packages {
		if err := b.checkFile(name); err != nil {
			return err
		}
	}
	switch main := b.named(); {
	case len(packages) == 0:
		return fmt.Errorf("go: no go files listed")
	case strings.Contains(packages[0], "@") && !isLocal(packages[0]) && !strings.HasSuffix(packages[0], ".go"):
		return fmt.Errorf("%s: packages of other versions cannot be marked; go get it, then name it without a version", packages[0])
	case len(main) > 1:
		var names strings.Builder
		for _, p := range main {
			names.WriteString("\n\t" + p.ImportPath)
		}
		return fmt.Errorf("go: pattern %s matches multiple packages:%s", packages[0], names.String())
	case len(main) == 1 && main[0].Error == nil && main[0].Name != "main" && main[0].Name != "":
		return fmt.Errorf("package %s is not a main package", main[0].ImportPath)
	}
	return nil
}

// checkFile rejects a file that go run rejects and go build accepts: a test file, which a shell may
// expand from *.go, and a name that is no file, which go build takes for an import path.
func (b *Build) checkFile(name string) error {
	if !strings.HasSuffix(name, ".go") {
		return nil
	}
	if strings.HasSuffix(name, "_test.go") {
		return fmt.Errorf("go: cannot run *_test.go files (%s)", name)
	}
	overlayFlag, _ := b.plain.Flag("overlay")
	user, err := readReplacements(overlayFlag, b.dir)
	if err != nil {
		return err
	}
	path := absolute(b.dir, name)
	if to := user[path]; to != "" {
		path = to
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: no such file; name a file of package main, or a package", name)
	}
	return nil
}

// linkOrCopy links or copies a file to to, in a new directory. The link or copy remains when the
// original is replaced.
func linkOrCopy(to, from string) error {
	if err := os.Mkdir(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	if err := copyFile(to, from); err != nil {
		return err
	}
	return os.Chmod(to, 0o700)
}

// Argv returns the command line of a program that Program has built: the words of -exec, the
// program, and its arguments.
func (b *Build) Argv(path string) ([]string, error) {
	words, err := b.execFlag()
	if err != nil {
		return nil, err
	}
	return append(append(words, path), b.plain.Args()...), nil
}

// execFlag returns the words of -exec, the command that runs programs and test binaries.
func (b *Build) execFlag() ([]string, error) {
	prefix, _ := b.plain.Flag("exec")
	words, err := splitQuoted(prefix)
	if err != nil {
		return nil, fmt.Errorf("-exec: %w; quote the words of the command", err)
	}
	return words, nil
}

// RunProgram runs a program that Program has built, with its arguments and the collection's
// environment, and returns its exit code (128+n for signal n).
func (b *Build) RunProgram(ctx context.Context, path string, c *Collection) (int, error) {
	argv, err := b.Argv(path)
	if err != nil {
		return 1, err
	}
	return Exec(ctx, argv, b.dir, c.Environ(b.o.Environ), b.o.Stdin, b.o.Stdout, b.o.Stderr)
}

// Exec runs a program and returns its exit code, or 128+n if signal n ended it. If it could not be
// started, the error is non-nil and the code is that of a shell. Dir is the program's working
// directory; a relative argv[0] with a slash is relative to it. When ctx is done, the program is
// killed, on Linux with its descendants.
func Exec(ctx context.Context, argv []string, dir string, environ []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	code, _, err := ExecProcess(ctx, argv, dir, environ, stdin, stdout, stderr)
	return code, err
}

// ExecProcess is Exec, and also returns the process ID of a program that exited by itself; it is 0 if
// a signal ended it, or it was not started.
func ExecProcess(ctx context.Context, argv []string, dir string, environ []string, stdin io.Reader, stdout, stderr io.Writer) (code, exited int, err error) {
	name := argv[0]
	if strings.ContainsRune(name, filepath.Separator) {
		name = absolute(dir, name)
	}
	cmd := exec.CommandContext(ctx, name, argv[1:]...)
	cmd.Args[0] = argv[0]
	cmd.Dir, cmd.Env = dir, environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	cmd.Cancel = func() error { return killTree(cmd.Process) }
	code, err = runChild(cmd)
	if cmd.ProcessState != nil && cmd.ProcessState.Exited() {
		exited = cmd.ProcessState.Pid()
	}
	return code, exited, err
}
