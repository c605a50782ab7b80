package overlay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ListOptions selects the packages for List.
type ListOptions struct {
	// Dir is the directory go runs in; "" is the current one.
	Dir string

	// Environ is the environment go runs in; nil is the process's own.
	Environ []string

	// Patterns are package patterns, import paths, or the .go files of one
	// package, as the go command takes them; none means the package in Dir.
	Patterns []string

	// BuildFlags are go's build flags. Flags that cannot change which files belong to a package
	// (-v, -o, -ldflags …) are ignored.
	BuildFlags []string

	// Tests makes Deps follow the imports of the test files of the packages that match Patterns,
	// too. Names of test files are listed either way.
	Tests bool

	// Deps also lists all direct and indirect dependencies.
	Deps bool
}

// A Package is one package as go list describes it. File names are relative
// to Dir.
type Package struct {
	ImportPath string
	Dir        string
	Name       string
	Module     *Module // nil in the standard library and outside modules
	Root       string  // module root, GOROOT, or "" (files given by name)
	Goroot     bool    // in the standard library
	Standard   bool    // part of the standard library, according to go list
	DepOnly    bool    // only a dependency, matches no pattern
	ForTest    string  // always "": test variants are merged into their package

	GoFiles        []string // without cgo and test files
	CgoFiles       []string // importing "C"
	TestGoFiles    []string // _test.go files of the package itself
	XTestGoFiles   []string // _test.go files of package name_test
	IgnoredGoFiles []string // excluded by build constraints

	EmbedFiles      []string // files embedded by the package, relative to Dir
	TestEmbedFiles  []string // files embedded by TestGoFiles
	XTestEmbedFiles []string // files embedded by XTestGoFiles

	// Error is the error that go reports for the package, or nil. Such a package may have no Dir
	// and no files.
	Error *PackageError
}

// Unit returns the part of the package to which a file excluded by build constraints would belong,
// given its package clause: "" is the package itself, "t" its tests, and "x" its external tests. ok
// is false if the file belongs to another package. A package without other files takes its name
// from the first file asked about.
func (p *Package) Unit(file, clause string) (unit string, ok bool) {
	if p.Name == "" {
		p.Name = strings.TrimSuffix(clause, "_test")
	}
	switch {
	case !strings.HasSuffix(file, "_test.go"):
		return "", clause == p.Name
	case clause == p.Name:
		return "t", true
	}
	return "x", clause == p.Name+"_test"
}

// HasGoFiles reports whether a directory has Go source files; false if it cannot be read.
func HasGoFiles(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasSuffix(e.Name(), ".go") })
}

// A Module describes a package's module, as go list does.
type Module struct {
	Path, Version string
	Sum           string // as in go.sum, if there is a version
	Dir           string // "" if it has not been downloaded
	GoMod         string // path of its go.mod
	Main          bool   // the main module, or one of the workspace
	Replace       *Module
}

// A PackageError is go's error about a package that cannot be loaded.
type PackageError struct {
	ImportStack []string
	Pos         string // file:line:col, or ""
	Err         string
}

// Error returns go's message, with its position if it has one.
func (e *PackageError) Error() string {
	if e.Pos != "" {
		return e.Pos + ": " + e.Err
	}
	return e.Err
}

// A GoError is a failed run of the go command. Its text is go's own.
type GoError struct {
	Args   []string // arguments of go
	Stderr string
	Code   int // go's exit code
}

func (e *GoError) Error() string {
	if s := strings.TrimRight(e.Stderr, "\n"); s != "" {
		return s
	}
	return fmt.Sprintf("go %s: exit status %d", strings.Join(e.Args, " "), e.Code)
}

// listFields are the fields that decodeList reads; go list computes no others.
const listFields = "ImportPath,Dir,Name,Module,Root,Goroot,Standard,DepOnly,ForTest," +
	"GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles,EmbedFiles,TestEmbedFiles,XTestEmbedFiles,Error"

// Package golang.org/x/tools/go/packages runs the same command, but puts files with cgo among the
// others and tests into packages of their own. Marking, in place as well, needs them apart.

// List describes the packages that o selects, in go list's order (with Deps, dependencies come
// before their importers). A package that cannot be loaded is listed with its Error; the returned
// error is a *GoError if go could not list anything at all.
//
// Standard packages that GOROOT vendors have import paths that begin with "vendor/".
func List(ctx context.Context, o ListOptions) ([]*Package, error) {
	args := []string{"list", "-e", "-json=" + listFields}
	if o.Deps {
		args = append(args, "-deps", "-pgo=off")
		if o.Tests {
			args = append(args, "-test")
		}
	}
	args = append(args, loadFlags(o.BuildFlags)...)
	args = append(args, "--")
	args = append(args, o.Patterns...)
	var pkgs []*Package
	err := goStream(ctx, o.Dir, o.Environ, args, func(out io.Reader) (err error) {
		pkgs, err = decodeList(out)
		return err
	})
	return pkgs, err
}

// decodeList decodes the output of go list -json. It merges test variants ("p [q.test]") into their
// package and drops test mains ("p.test").
func decodeList(r io.Reader) ([]*Package, error) {
	var pkgs []*Package
	seen := map[string]*Package{}
	for dec := json.NewDecoder(r); ; {
		p := new(Package)
		err := dec.Decode(p)
		if err == io.EOF {
			return pkgs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: output not understood: %w", err)
		}
		path, _, variant := strings.Cut(p.ImportPath, " [")
		p.ImportPath = path
		if isTestMain(p) || isExternalTest(p) {
			continue
		}
		if q := seen[path]; q != nil {
			q.DepOnly = q.DepOnly && p.DepOnly
			continue
		}
		if variant {
			// If a variant comes first, its Go files include the test files.
			p.GoFiles = without(p.GoFiles, p.TestGoFiles)
			p.CgoFiles = without(p.CgoFiles, p.TestGoFiles)
		}
		p.ForTest = ""
		seen[path] = p
		pkgs = append(pkgs, p)
	}
}

// isExternalTest reports whether p is the variant made of XTestGoFiles.
func isExternalTest(p *Package) bool {
	return p.ForTest != "" && p.ImportPath == p.ForTest+"_test" && strings.HasSuffix(p.Name, "_test")
}

// isTestMain reports whether p is the main package that go test generates.
func isTestMain(p *Package) bool {
	return p.Name == "main" && strings.HasSuffix(p.ImportPath, ".test") &&
		len(p.GoFiles) == 1 && filepath.IsAbs(p.GoFiles[0])
}

func without(names, drop []string) []string {
	if len(drop) == 0 {
		return names
	}
	gone := map[string]bool{}
	for _, n := range drop {
		gone[n] = true
	}
	var kept []string
	for _, n := range names {
		if !gone[n] {
			kept = append(kept, n)
		}
	}
	return kept
}

// goOutput runs go and returns its standard output; a failure is a *GoError.
func goOutput(ctx context.Context, dir string, environ []string, args ...string) (out []byte, err error) {
	err = goStream(ctx, dir, environ, args, func(r io.Reader) error {
		out, err = io.ReadAll(r)
		return err
	})
	return out, err
}

// goStream runs go and calls read with its standard output while it runs. A failure of go is a
// *GoError and takes precedence over an error of read.
func goStream(ctx context.Context, dir string, environ []string, args []string, read func(io.Reader) error) error {
	cmd := goCommand(ctx, dir, environ, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the go command cannot be run: %w; put it on PATH", err)
	}
	readErr := read(out)
	_, _ = io.Copy(io.Discard, out) // let go finish instead of blocking on a full pipe
	if err := cmd.Wait(); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return &GoError{Args: args, Stderr: stderr.String(), Code: exit.ExitCode()}
		}
		return err
	}
	return readErr
}

// goCommand returns a go command that is not yet started.
func goCommand(ctx context.Context, dir string, environ []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, lookGo(environ), args...)
	cmd.Args[0] = "go"
	cmd.Dir = dir
	if environ = withModCache(environ); environ != nil {
		cmd.Env = environ
		if dir != "" {
			cmd.Env = setenv(environ, "PWD", dir)
		}
	}
	return cmd
}

// lookGo returns the path of the go command by PATH in environ, or "go".
func lookGo(environ []string) string {
	if environ != nil {
		for _, dir := range filepath.SplitList(getenv(environ, "PATH")) {
			if path, err := exec.LookPath(filepath.Join(dir, "go")); err == nil && filepath.IsAbs(path) {
				return path
			}
		}
	}
	return "go"
}
