package main

import (
	"context"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	modversion "golang.org/x/mod/module"

	"github.com/markgen/markgen/fileread"
)

// localVersion is the version that the go command itself writes for a module that a directory replaces.
const localVersion = "v0.0.0-00010101000000-000000000000"

// initRequire puts markgen into the go.mod of the module in root.
func initRequire(ctx context.Context, env *Env, root string, file *modfile.File) error {
	name := env.shown(filepath.Join(root, "go.mod"))
	checkout := findCheckout()
	required := releasedVersion()
	if checkout == "" && required == "" {
		return fmt.Errorf("the source that this markgen was built from is not there, and it is no released version; run markgen init -vendor, or build markgen again in its checkout")
	}
	if checkout != "" {
		required = localVersion
	}
	before, err := file.Format()
	if err != nil {
		return err
	}
	var said []string
	if checkout != "" {
		raised, err := raiseGo(name, file, checkout)
		if err != nil {
			return err
		}
		if raised != "" {
			said = append(said, "go "+raised)
		}
	}
	if old := requiredVersion(file); old == "" {
		if err := file.AddRequire(ownModule, required); err != nil {
			return err
		}
		said = append(said, fmt.Sprintf("require %s %s", ownModule, required))
	}
	if checkout != "" {
		old := replacement(file)
		target := filepath.FromSlash(old)
		if old != "" && !filepath.IsAbs(target) {
			target = filepath.Join(root, target)
		}
		if old == "" || !isCheckout(target) {
			if err := file.AddReplace(ownModule, "", filepath.ToSlash(checkout), ""); err != nil {
				return err
			}
			said = append(said, fmt.Sprintf("replace %s => %s", ownModule, checkout))
		}
	}
	file.Cleanup()
	after, err := file.Format()
	if err != nil {
		return err
	}
	if string(after) != string(before) {
		if err := writeFile(filepath.Join(root, "go.mod"), after); err != nil {
			return err
		}
		fmt.Fprintf(env.Stdout, "%s: %s\n", name, strings.Join(said, ", "))
		if err := raiseWork(env, root, file.Go); err != nil {
			return err
		}
	}
	raised, err := raiseRequired(ctx, env, root, file)
	if err != nil {
		return err
	}
	if string(after) == string(before) && !raised {
		fmt.Fprintf(env.Stdout, "%s: requires markgen, nothing to do\n", name)
		return nil
	}
	sayVendor(env, root)
	return nil
}

// sayVendor says how to mark where a vendor directory is in use, which lacks the runtime: go copies what is imported, so
// that marking comes first, and go refuses the directory until then. A workspace has one of its own, and no -mod=mod.
func sayVendor(env *Env, root string) {
	vendor, flag, verb := filepath.Join(root, "vendor"), "-mod=mod", "go mod vendor"
	if work := workFile(env, root); work != "" {
		vendor, flag, verb = filepath.Join(filepath.Dir(work), "vendor"), "-mod=readonly", "go work vendor"
	}
	if _, err := os.Stat(filepath.Join(vendor, "modules.txt")); err == nil {
		fmt.Fprintf(env.Stdout, "%s: does not agree with go.mod now; mark with GOFLAGS=%s in the environment, then run %s\n", env.shown(vendor), flag, verb)
	}
}

// raiseGo makes the go line of a module at least that of the checkout, without which the go command would not build it,
// and returns the new version, "" if the line is as it should be. Before Go 1.22 that would change what the module's own
// loops mean, and is refused; the language versions since only add to the language.
func raiseGo(name string, file *modfile.File, checkout string) (raised string, err error) {
	path := filepath.Join(checkout, "go.mod")
	text, err := fileread.File(path)
	if err != nil {
		return "", err
	}
	own, err := modfile.ParseLax(path, text, nil)
	if err != nil {
		return "", err
	}
	have, line := "1.16", 1 // what go assumes without a go line
	if file.Go != nil {
		have, line = file.Go.Version, file.Go.Syntax.Start.Line
	}
	switch {
	case own.Go == nil || version.Compare("go"+have, "go"+own.Go.Version) >= 0:
		return "", nil
	case version.Compare("go"+have, "go1.22") >= 0:
		return own.Go.Version, file.AddGoStmt(own.Go.Version)
	}
	return "", fmt.Errorf("%s:%d:1: the module is for go %s, and requiring markgen takes go %s; run markgen init -vendor, which leaves go.mod alone, or go mod edit -go=%s if that suits the module", name, line, have, own.Go.Version, own.Go.Version)
}

// raiseWork makes the go line of the workspace that the module in root is used in, if there is one, at least that of the
// module, as the go command demands.
func raiseWork(env *Env, root string, need *modfile.Go) error {
	path := workFile(env, root)
	if path == "" || need == nil {
		return nil
	}
	text, err := fileread.File(path)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(env.shown(path), text, nil)
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
	if err := writeFile(path, modfile.Format(work.Syntax)); err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "%s: go %s, as a module in it now needs\n", env.shown(path), need.Version)
	return nil
}

// workFile returns the go.work file that the go command would use in root, "" for none.
func workFile(env *Env, root string) string {
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

// requiredVersion returns the version of markgen that the module requires, "" for none.
func requiredVersion(file *modfile.File) string {
	for _, r := range file.Require {
		if r.Mod.Path == ownModule {
			return r.Mod.Version
		}
	}
	return ""
}

// replacement returns the directory that stands for markgen, "" for none.
func replacement(file *modfile.File) string {
	for _, r := range file.Replace {
		if r.Old.Path == ownModule && r.New.Version == "" {
			return r.New.Path
		}
	}
	return ""
}

// findCheckout returns the directory of the source this binary was built from, "" if it is not there any more or the
// binary does not say (it was built with -trimpath).
func findCheckout() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	dir := filepath.Join(filepath.Dir(file), "..", "..")
	if inModuleCache(dir) || !isCheckout(dir) {
		return ""
	}
	return dir
}

// inModuleCache reports whether dir is a downloaded module: its version stands for it, and no replace is needed.
func inModuleCache(dir string) bool {
	_, v, found := strings.Cut(filepath.Base(dir), "@")
	return found && modversion.Check(ownModule, v) == nil
}

// isCheckout reports whether dir holds markgen's module with its runtime.
func isCheckout(dir string) bool {
	text, err := fileread.File(filepath.Join(dir, "go.mod"))
	if err != nil || modfile.ModulePath(text) != ownModule {
		return false
	}
	info, err := os.Stat(filepath.Join(dir, "runtime"))
	return err == nil && info.IsDir()
}

// releasedVersion returns the version of this binary if it can be required, "" if it was built from a checkout.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != ownModule || strings.HasSuffix(info.Main.Version, "+dirty") {
		return ""
	}
	if modversion.Check(ownModule, info.Main.Version) != nil {
		return ""
	}
	return info.Main.Version
}
