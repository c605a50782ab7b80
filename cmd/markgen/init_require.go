package main

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	modversion "golang.org/x/mod/module"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	rt "github.com/markgen/markgen/runtime"
)

// localVersion is the version that the go command writes for a module replaced by a directory.
const localVersion = "v0.0.0-00010101000000-000000000000"

// initRequire adds the runtime's module to the go.mod of the module in root.
func initRequire(ctx context.Context, env *cli.Env, root string, file *modfile.File) error {
	name := env.Shown(filepath.Join(root, "go.mod"))
	checkout := findCheckout()
	required := releasedVersion()
	if checkout == "" && required == "" {
		return errNoCheckout(ownFile())
	}
	if checkout != "" {
		required = localVersion
	}
	before, err := file.Format()
	if err != nil {
		return err
	}
	old, err := findOld(root)
	if err != nil {
		return err
	}
	said, err := old.drop(file)
	if err != nil {
		return err
	}
	if raised, err := raiseGo(name, file); err != nil {
		return err
	} else if raised != "" {
		said = append(said, "go "+raised)
	}
	if requiredVersion(file, rt.Module) == "" {
		if err := file.AddRequire(rt.Module, required); err != nil {
			return err
		}
		said = append(said, fmt.Sprintf("require %s %s", rt.Module, required))
	}
	replaced := false
	if checkout != "" {
		now := replacement(file, rt.Module)
		target := filepath.FromSlash(now)
		if now != "" && !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if now == "" || !isRuntime(target) {
			if err := file.AddReplace(rt.Module, "", filepath.ToSlash(checkout), ""); err != nil {
				return err
			}
			replaced = true
			said = append(said, fmt.Sprintf("replace %s => %s", rt.Module, checkout))
		}
	}
	file.Cleanup()
	after, err := file.Format()
	if err != nil {
		return err
	}
	if string(after) == string(before) && len(old.runtime) == 0 {
		if err := addSum(ctx, env, root, checkout); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "%s: requires markgen's runtime, nothing to do\n", name)
		return nil
	}
	if string(after) == string(before) {
		if err := addSum(ctx, env, root, checkout); err != nil {
			return err
		}
		return old.write(env, root)
	}
	gomod := filepath.Join(root, "go.mod")
	original, err := fileread.File(gomod)
	if err != nil {
		return err
	}
	if err := cli.WriteFile(gomod, after); err != nil {
		return err
	}
	if err := addSum(ctx, env, root, checkout); err != nil {
		return errors.Join(err, cli.WriteFile(gomod, original)) // a module that cannot be downloaded is not required
	}
	fmt.Fprintf(env.Stdout, "%s: %s\n", name, strings.Join(said, ", "))
	if replaced {
		fmt.Fprintf(env.Stdout, "%s: the replace names a folder of this machine, since this markgen was built in a checkout: don't commit it\n", name)
	}
	if err := old.write(env, root); err != nil {
		return err
	}
	if err := raiseWork(env, root, file.Go); err != nil {
		return err
	}
	sayVendor(env, root)
	return nil
}

// addSum adds the checksums of the runtime's module to go.sum, without which go does not build its
// importers. A module replaced by a directory has none.
func addSum(ctx context.Context, env *cli.Env, root, checkout string) error {
	if checkout != "" {
		return nil
	}
	alone := *env
	alone.Environ = append(env.Environ[:len(env.Environ):len(env.Environ)], "GOWORK=off") // a workspace has its own checksums
	return runGo(ctx, &alone, root, "mod", "download", rt.Module)
}

// sayVendor prints how to mark if a vendor directory without the runtime is in use: go copies only
// imported packages, so the source must be marked first, and until then go rejects the directory. A
// workspace has its own vendor directory, and no -mod=mod.
func sayVendor(env *cli.Env, root string) {
	vendor, flag, verb := filepath.Join(root, "vendor"), "-mod=mod", "go mod vendor"
	if work := workFile(env, root); work != "" {
		vendor, flag, verb = filepath.Join(filepath.Dir(work), "vendor"), "-mod=readonly", "go work vendor"
	}
	if _, err := os.Stat(filepath.Join(vendor, "modules.txt")); err == nil {
		fmt.Fprintf(env.Stdout, "%s: does not agree with go.mod now; mark with GOFLAGS=%s in the environment, then run %s\n", env.Shown(vendor), flag, verb)
	}
}

// raiseGo raises the go version of a module to at least that of the runtime, which the go command
// requires, and returns the new version, or "" if it is unchanged. Below Go 1.22 this would change
// the meaning of the module's loops, so it is refused; later versions only add to the language.
func raiseGo(name string, file *modfile.File) (raised string, err error) {
	have, line := "1.16", 1 // the version that go assumes without a go line
	if file.Go != nil {
		have, line = file.Go.Version, file.Go.Syntax.Start.Line
	}
	switch {
	case version.Compare("go"+have, "go"+rt.GoVersion) >= 0:
		return "", nil
	case version.Compare("go"+have, "go1.22") >= 0:
		return rt.GoVersion, file.AddGoStmt(rt.GoVersion)
	}
	return "", fmt.Errorf("%s:%d:1: the module is for go %s, and requiring markgen's runtime takes go %s; run markgen init -vendor, which leaves go.mod alone, or go mod edit -go=%s if that suits the module", name, line, have, rt.GoVersion, rt.GoVersion)
}

// raiseWork raises the go version of the workspace that includes the module in root, if there is
// one, to at least that of the module, as the go command requires.
func raiseWork(env *cli.Env, root string, need *modfile.Go) error {
	path := workFile(env, root)
	if path == "" || need == nil {
		return nil
	}
	text, err := fileread.File(path)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(env.Shown(path), text, nil)
	if err != nil {
		return err
	}
	if work.Go != nil && version.Compare("go"+work.Go.Version, "go"+need.Version) >= 0 {
		return nil
	}
	if err := work.AddGoStmt(need.Version); err != nil {
		return err
	}
	work.Cleanup()
	if err := cli.WriteFile(path, modfile.Format(work.Syntax)); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: go %s, as a module in it now needs\n", env.Shown(path), need.Version)
	return nil
}

// workFile returns the go.work file that the go command would use in root, or "".
func workFile(env *cli.Env, root string) string {
	switch named := env.Getenv("GOWORK"); named {
	case "":
	case "off":
		return ""
	default:
		return named
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "go.work")
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// requiredVersion returns the version of a module that file requires, or "".
func requiredVersion(file *modfile.File, module string) string {
	for _, r := range file.Require {
		if r.Mod.Path == module {
			return r.Mod.Version
		}
	}
	return ""
}

// replacement returns the directory that replaces a module, or "".
func replacement(file *modfile.File, module string) string {
	for _, r := range file.Replace {
		if r.Old.Path == module && r.New.Version == "" {
			return r.New.Path
		}
	}
	return ""
}

// checkout is the directory of the checkout, for a binary built with -trimpath, which does not
// record it: -ldflags=-X=main.checkout=DIR.
var checkout string

// findCheckout returns the directory of the runtime's module in the source from which this binary
// was built. It returns "" if the directory no longer exists, if the binary does not record it (it
// was built with -trimpath), and for a released version.
func findCheckout() string {
	root := checkout
	if root == "" {
		file := ownFile()
		if !filepath.IsAbs(file) {
			return ""
		}
		root = filepath.Join(filepath.Dir(file), "..", "..")
	}
	dir := filepath.Join(root, "runtime")
	if !isRuntime(dir) {
		return ""
	}
	return dir
}

// ownFile returns the name of this source file as the binary records it: absolute, unless it was
// built with -trimpath.
func ownFile() string {
	_, file, _, _ := runtime.Caller(0)
	return file
}

// errNoCheckout is the error of init in a binary that is no release, where the checkout with file,
// as ownFile returns it, is not found.
func errNoCheckout(file string) error {
	if !filepath.IsAbs(file) {
		return errors.New("this markgen is no released version and was built with -trimpath, so it does not know its checkout, to which go.mod would point; run markgen init -vendor, or build it without -trimpath")
	}
	return fmt.Errorf("this markgen is no released version, and the checkout that it was built in, with %s, is gone; run markgen init -vendor, or build it again in a checkout", file)
}

// isRuntime reports whether dir is the root of the runtime's module.
func isRuntime(dir string) bool {
	text, err := fileread.File(filepath.Join(dir, "go.mod"))
	return err == nil && modfile.ModulePath(text) == rt.Module
}

// releasedVersion returns the version of the runtime's module that is part of this binary, or "" if
// it was built from a checkout.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == rt.Module && dep.Replace == nil && modversion.Check(rt.Module, dep.Version) == nil {
			return dep.Version
		}
	}
	return ""
}

// runGo runs the go command in dir. The error contains the first line of its output, except lines
// about downloads.
func runGo(ctx context.Context, env *cli.Env, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(env.Environ[:len(env.Environ):len(env.Environ)], "PWD="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	err := cmd.Run()
	if err == nil {
		return nil
	}
	for line := range strings.Lines(stderr.String()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "go: ")
		if line != "" && !strings.HasPrefix(line, "downloading ") {
			return fmt.Errorf("go %s: %s", strings.Join(args, " "), strings.TrimSuffix(line, ":"))
		}
	}
	return fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
}
