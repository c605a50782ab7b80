package overlay

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/filewrite"
)

// dualSource is the source of the packages that a dual build adds to the plain program.
//
//go:embed dual/*.go dual/first/*.go
var dualSource embed.FS

const (
	// MarkedSuffix ends the name of the marked program of a dual build, beside the plain one.
	// Package dual and AppName of the runtime have it, too.
	MarkedSuffix = ".marked"

	// firstPath and dualPath are the import paths of the packages first and dual in the plain
	// program. The linker initialises packages in the order of their paths, see package first.
	firstPath = "0"
	dualPath  = firstPath + "/dual"

	// dualFile is added to each package main, and imports them.
	dualFile = "markgen_dual.go"
)

// A twin is a program of a dual build.
type twin struct {
	main   *Package
	marked string // path of the marked program in the work directory
	id     string // build ID of the marked program
	idAt   int    // its offset in the file
}

// Dual builds each program twice: plain, where go build writes it, and marked, beside it with
// MarkedSuffix. The machine code of the plain program is that of go build, with the addition of
// package dual. Dual returns go's exit code; the error is non-nil only if go could not be run or
// the build cannot be a dual one.
func (b *Build) Dual(ctx context.Context) (int, error) {
	if err := b.checkDual(); err != nil {
		return 1, err
	}
	work, err := b.WorkDir()
	if err != nil {
		return 1, err
	}
	defer work.Close()
	marked := *b
	marked.command = b.command.Without("o")
	code, err := marked.goBuild(ctx, marked.words("build", nil, "-o", work.Path+string(filepath.Separator)), func() []string {
		return append([]string{"build", "-o", os.DevNull}, b.plain.Without("o").Words(nil)...)
	})
	if code != 0 || err != nil {
		return code, err
	}
	twins, err := b.twins(ctx, work.Path)
	if err != nil {
		return 1, err
	}
	if code, err = b.buildPlain(ctx, twins); code != 0 || err != nil {
		return code, err
	}
	for _, t := range twins {
		if to := b.output(filepath.Base(t.marked)); to != "" && t.marked != "" {
			if err := move(ctx, to+MarkedSuffix, t.marked); err != nil {
				return 1, err
			}
		}
	}
	return 0, nil
}

// mains returns the packages main of the build.
func (b *Build) mains() []*Package {
	return slices.DeleteFunc(b.named(), func(p *Package) bool { return p.Name != "main" })
}

// checkDual rejects what cannot be built twice.
func (b *Build) checkDual() error {
	const leave = "leave -dual out: the marked program alone does nothing without MARKGEN either"
	switch b.env.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "openbsd", "dragonfly":
	default:
		return fmt.Errorf("-dual: on %s a process cannot become another program, only on Linux, macOS and BSD; %s", b.env.GOOS, leave)
	}
	if b.cover != nil {
		return errors.New("-dual: with -cover the plain program would not be plain; leave one of them out")
	}
	switch mode, _ := b.plain.Flag("buildmode"); mode {
	case "", "default", "exe", "pie":
	default:
		return fmt.Errorf("-dual: -buildmode=%s makes no program; %s", mode, leave)
	}
	if b.Stats.Runtime {
		fmt.Fprintln(b.o.Stderr, "markgen: -dual: markers that are written in the source are in the plain program, too; markgen -strip takes them out")
	}
	mains := b.mains()
	if len(mains) == 0 {
		return fmt.Errorf("-dual: %s is no program; name a main package", strings.Join(b.plain.Packages(), " "))
	}
	if _, ok := b.plain.Flag("o"); !ok && len(b.named()) > 1 {
		return errors.New("-dual: of several packages go build keeps no program; give -o a directory, with a slash at its end")
	}
	for _, p := range mains {
		if within(b.env.GOMODCACHE, p.Dir) {
			return fmt.Errorf("-dual: %s is in the module cache, where go replaces no file; build it in a checkout of its own, or vendor it (go mod vendor)", p.ImportPath)
		}
	}
	return nil
}

// twins finds the marked programs in dir. There are none if go only printed its commands.
func (b *Build) twins(ctx context.Context, dir string) ([]*twin, error) {
	paths, err := programsIn(dir)
	if err != nil {
		return nil, err
	}
	byPath := map[string]string{}
	for _, path := range paths {
		about, err := goOutput(ctx, b.dir, b.environ, "version", "-m", path)
		if err != nil {
			return nil, err
		}
		_, main, _ := strings.Cut(string(about), "\n\tpath\t")
		main, _, _ = strings.Cut(main, "\n")
		byPath[main] = path
	}
	var twins []*twin
	for _, p := range b.mains() {
		t := &twin{main: p, marked: byPath[p.ImportPath]}
		twins = append(twins, t)
		if t.marked == "" {
			continue
		}
		id, err := goOutput(ctx, b.dir, b.environ, "tool", "buildid", t.marked)
		if err != nil {
			return nil, err
		}
		text, err := fileread.File(t.marked)
		if err != nil {
			return nil, err
		}
		t.id = strings.TrimSpace(string(id))
		if t.idAt = bytes.Index(text, []byte(t.id)); t.id == "" || t.idAt < 0 {
			return nil, fmt.Errorf("-dual: %s has no build ID, by which the programs know each other; leave -buildid out of -ldflags", filepath.Base(t.marked))
		}
	}
	return twins, nil
}

// buildPlain builds the plain programs.
func (b *Build) buildPlain(ctx context.Context, twins []*twin) (int, error) {
	overlayFlag, _ := b.plain.Flag("overlay")
	user, err := readReplacements(overlayFlag, b.dir)
	if err != nil {
		return 1, err
	}
	r := maps.Clone(user)
	for dir, path := range map[string]string{"dual": dualPath, "dual/first": firstPath} {
		if err := b.addDual(r, dir, path); err != nil {
			return 1, err
		}
	}
	for _, t := range twins {
		text := fmt.Sprintf("package main\n\nimport (\n\t_ %q\n\t_ %q\n\t_ \"unsafe\" // for go:linkname\n)\n\n"+
			"// What package dual knows the marked program by.\n//\n"+
			"//go:linkname markgenBuildID\nvar markgenBuildID = %q\n\n//go:linkname markgenBuildIDAt\nvar markgenBuildIDAt int64 = %d\n",
			firstPath, dualPath, t.id, t.idAt)
		if r[filepath.Join(t.main.Dir, dualFile)], err = b.cache.text([]byte(text), ".go"); err != nil {
			return 1, err
		}
	}
	name, err := b.cache.overlay(r.marshal())
	if err != nil {
		return 1, err
	}
	plain := *b
	plain.environ, plain.called = b.o.environ(), false // without what is for copies of modules
	if err := plain.moveGoroot(); err != nil {
		return 1, err
	}
	plain.command, plain.flags = b.plain.Without("overlay"), []string{"-overlay=" + name}
	var packages []string
	if named := b.plain.Packages(); len(named) > 0 && strings.HasSuffix(named[0], ".go") {
		dir, _ := filepath.Split(named[0]) // as in the others, or go takes it for another directory
		packages = append(named, dir+dualFile)
	}
	return plain.goRun(ctx, plain.environ, plain.words("build", packages), nil, b.o.Stdout, b.o.Stderr)
}

// addDual adds the package in a directory of dualSource, with another import path.
func (b *Build) addDual(r replacements, dir, path string) error {
	files, err := dualSource.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.IsDir() {
			continue
		}
		text, err := dualSource.ReadFile(dir + "/" + f.Name())
		if err != nil {
			return err
		}
		text = bytes.ReplaceAll(text, []byte("github.com/markgen/markgen/overlay/dual"), []byte(dualPath))
		if r[b.inGoroot(path+"/"+f.Name())], err = b.cache.text(text, ".go"); err != nil {
			return err
		}
	}
	return nil
}

// output returns where go build writes the program of that name, or "" if nowhere.
func (b *Build) output(name string) string {
	out, ok := b.plain.Flag("o")
	if !ok {
		return filepath.Join(b.dir, name)
	}
	if out == os.DevNull {
		return ""
	}
	path := absolute(b.dir, out)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, name)
	}
	return path
}

// move moves a program, also to another file system. A program that runs keeps its file.
func move(ctx context.Context, to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	err = filewrite.Stream(ctx, to, func(w io.Writer) error {
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
	return errors.Join(err, os.Chmod(to, info.Mode()))
}
