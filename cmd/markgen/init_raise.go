package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	modversion "golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/markgen/markgen/fileread"
)

// raiseRequired has the go command raise what go.mod, which the module in root now has as file, requires to the versions
// that markgen requires. Without that go refuses to build what imports the runtime, and go mod tidy, which it names, takes
// the require of markgen away until something imports it. It says what was raised, and reports whether anything was.
//
// In a workspace go looks at the versions of all its modules together and asks for nothing. That go cannot do it, as
// without a network, is told and is no error, since most modules need none of it.
func raiseRequired(ctx context.Context, env *Env, root string, file *modfile.File) (raised bool, err error) {
	if workFile(env, root) != "" {
		return false, nil
	}
	path := filepath.Join(root, "go.mod")
	name := env.shown(path)
	module := ownModule + "@" + requiredVersion(file)
	if err := runGo(ctx, env, root, "get", module); err != nil {
		fmt.Fprintf(env.Stderr, "%s: not known to agree with what markgen requires: %v; if go says that go.mod needs updates, run go get %s\n", name, err, module)
		return false, nil
	}
	text, err := fileread.File(path)
	if err != nil {
		return false, err
	}
	next, err := modfile.Parse(name, text, nil)
	if err != nil {
		return false, err
	}
	said := raisedVersions(file, next)
	if len(said) == 0 {
		return false, nil
	}
	fmt.Fprintf(env.Stdout, "%s: %s, which markgen requires; init -vendor would leave them as they were\n", name, strings.Join(said, ", "))
	// What is raised has to be in go.sum, too. What cannot be loaded here cannot be built, and go says why then.
	_ = runGo(ctx, env, root, "list", "-mod=mod", "-e", "-deps", "-test", "./...")
	return true, nil
}

// raisedVersions returns what next requires in a newer version than file, each as "module old => new".
func raisedVersions(file, next *modfile.File) (said []string) {
	old := make(map[string]modversion.Version, len(file.Require))
	for _, r := range file.Require {
		old[r.Mod.Path] = r.Mod
	}
	for _, r := range next.Require {
		if was, ok := old[r.Mod.Path]; ok && semver.Compare(was.Version, r.Mod.Version) < 0 {
			said = append(said, fmt.Sprintf("%s %s => %s", r.Mod.Path, was.Version, r.Mod.Version))
		}
	}
	return said
}

// runGo runs the go command in dir. The error has the first line of what it says, save for downloads.
func runGo(ctx context.Context, env *Env, dir string, args ...string) error {
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
			return fmt.Errorf("go %s: %s", args[0], strings.TrimSuffix(line, ":"))
		}
	}
	return fmt.Errorf("go %s: %w", args[0], err)
}
