package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/registry"
	rt "github.com/markgen/markgen/runtime"
)

// ownModule is the path of this module.
const ownModule = "github.com/markgen/markgen"

var cmdInit = &cli.Command{
	Name:  "init",
	Short: "make a module ready for markers in its source",
	Long: `
usage: markgen init [-vendor] [dir]

Init makes the module that dir is in, by default the current directory, ready for source that markgen
has marked in place, which imports markgen's runtime:

  without -vendor   go.mod gets a require for ` + rt.Module + `, which requires nothing
                    itself, and, if this markgen was built from a checkout, a replace that points there
  -vendor           the runtime is copied to ` + rt.Vendored + ` in the module: no new dependency,
                    and the marked source builds without a network. Of its comments the copy has
                    those of what marked source calls

Where the module is in a git repository, .gitattributes gets lines that make git keep the lines of both
sides when two branches add markers. What is as it should be is left alone, so init may be run again, with
-vendor to bring the copy up to date.

A module that was marked when the runtime was part of ` + ownModule + ` is moved on without
-vendor: go.mod and the imports in its source.

markgen build, run and test need none of this: they touch no file of the module.

examples:
  markgen init
  markgen init -vendor ./service`,
	Run: runInit,
}

func runInit(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	vendor := fs.Bool("vendor", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	dir := env.Dir
	switch fs.NArg() {
	case 0:
	case 1:
		dir = env.Path(fs.Arg(0))
	default:
		return env.Wrong("one directory at a time, not %d", fs.NArg())
	}
	root, err := moduleRoot(dir)
	if err != nil {
		return env.Fail(err)
	}
	gomod := filepath.Join(root, "go.mod")
	text, err := fileread.File(gomod)
	if err != nil {
		return env.Fail(err)
	}
	file, err := modfile.Parse(env.Shown(gomod), text, nil)
	switch {
	case err != nil:
		return env.Fail(err)
	case file.Module == nil:
		return env.Fail(fmt.Errorf("%s:1:1: the module has no name; run go mod init NAME", env.Shown(gomod)))
	case file.Module.Mod.Path == ownModule || strings.HasPrefix(file.Module.Mod.Path, ownModule+"/"):
		return env.Fail(fmt.Errorf("%s is markgen itself; run init in the module that is to be marked", env.Shown(root)))
	}
	switch {
	case *vendor:
		err = initVendor(env, root, file.Module.Mod.Path)
	case hasVendored(root):
		fmt.Fprintf(env.Stdout, "%s: marked source imports this copy of the runtime, nothing to do; remove it first to require markgen instead\n", env.Shown(filepath.Join(root, filepath.FromSlash(rt.Vendored))))
	default:
		err = initRequire(ctx, env, root, file)
	}
	if err == nil {
		err = initAttributes(env, root)
	}
	if err != nil {
		return env.Fail(err)
	}
	return cli.OK
}

// moduleRoot returns the directory of the go.mod in dir or above it.
func moduleRoot(dir string) (string, error) {
	if info, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%w; name the directory of a module", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory; name the directory of a module", dir)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && info.Mode().IsRegular() {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("there is no go.mod in %s or above it; run go mod init NAME first", dir)
		}
	}
}

// initAttributes makes git merge the registry and the tables of markers line by line, in a git
// repository.
func initAttributes(env *cli.Env, root string) error {
	if !inRepository(root) {
		return nil
	}
	path := filepath.Join(root, ".gitattributes")
	text, err := fileread.File(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next := registry.Attributes(text)
	if len(next) == len(text) {
		fmt.Fprintf(env.Stdout, "%s: says how %s and the tables of markers are merged, nothing to do\n", env.Shown(path), registry.FileName)
		return nil
	}
	if err := cli.WriteFile(path, next); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: %s and the tables of markers are merged by keeping the lines of both sides\n", env.Shown(path), registry.FileName)
	return nil
}

// inRepository reports whether dir is in a git work tree.
func inRepository(dir string) bool {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}
