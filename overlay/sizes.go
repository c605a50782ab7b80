package overlay

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite"
)

// SizeTests are source texts that make the compiler check size= expressions: see rewrite.SizeTests.
type SizeTests struct {
	Texts map[string][]byte         // by absolute path, as for Compile
	Sizes map[string][]rewrite.Size // by absolute path and line, "path:line", in order
}

// Add adds the tests of a unit whose files are in dir.
func (t *SizeTests) Add(u *rewrite.Unit, dir string) {
	texts, sizes := u.SizeTests()
	if len(sizes) > 0 && t.Sizes == nil {
		t.Texts, t.Sizes = map[string][]byte{}, map[string][]rewrite.Size{}
	}
	for name, text := range texts {
		t.Texts[filepath.Join(dir, filepath.Base(name))] = text
	}
	for _, s := range sizes {
		at := filepath.Join(dir, filepath.Base(s.Pos.Filename)) + ":" + strconv.Itoa(s.Pos.Line)
		t.Sizes[at] = append(t.Sizes[at], s)
	}
}

// inSource matches a message of the compiler.
var inSource = regexp.MustCompile(`^(.+?\.go):(\d+):(\d+): (.*)$`)

// Errors compiles the texts, with replace as an overlay, and returns the errors in the expressions,
// by file and position. Other errors are not in the user's expressions, and are ignored.
func (t *SizeTests) Errors(ctx context.Context, o ListOptions, replace map[string][]byte) (rewrite.Errors, error) {
	if len(t.Sizes) == 0 {
		return nil, nil
	}
	texts := maps.Clone(t.Texts)
	for path, text := range replace {
		if texts[path] == nil {
			texts[path] = text
		}
	}
	err := Compile(ctx, o, texts)
	var compiler *CompileError
	if !errors.As(err, &compiler) {
		return nil, err
	}
	var errs rewrite.Errors
	found := false // the previous line was about an expression
	for _, line := range compiler.Lines {
		if rest, ok := strings.CutPrefix(line, "\t"); ok && found {
			errs[len(errs)-1].What += ", " + rest
			continue
		}
		m := inSource.FindStringSubmatch(line)
		if found = m != nil; !found {
			continue
		}
		list := t.Sizes[absolute(o.Dir, m[1])+":"+m[2]]
		if found = len(list) > 0; found {
			column, _ := strconv.Atoi(m[3])
			s := list[0] // or the last that begins before the column
			for _, later := range list[1:] {
				if later.Pos.Column <= column {
					s = later
				}
			}
			pos := s.Pos
			pos.Column = column
			errs = append(errs, s.Error(pos, m[4]))
		}
	}
	slices.SortStableFunc(errs, func(a, b *rewrite.Error) int {
		return strings.Compare(a.Pos.Filename, b.Pos.Filename)
	})
	return errs, nil
}

// sizeErrors returns the errors in the build's size= expressions, by import path. It is called when
// a build fails only because it is marked.
func (b *Build) sizeErrors(ctx context.Context) (map[string]rewrite.Errors, error) {
	name, _ := b.plain.Flag("overlay")
	user, err := readReplacements(name, b.dir)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(ctx, b.packages, "-markpkg", b.o.MarkPackages, b.listOptions())
	if err != nil {
		return nil, err
	}
	tasks, err := b.tasks(ctx, chosen.packages)
	if err != nil {
		return nil, err
	}
	if _, err := copyModules(b.cache, tasks, b.env.GOMODCACHE); err != nil {
		return nil, err
	}
	var tests SizeTests
	replace := map[string][]byte{}
	paths := map[string]string{} // import paths by directory
	for _, t := range tasks {
		paths[t.Dir] = t.ImportPath
		if err := b.addSizeTests(&tests, t, user, replace); err != nil {
			return nil, err
		}
	}
	for path, to := range user {
		if replace[path] != nil {
			continue
		}
		var text []byte // nil: the file is to be missing
		if to != "" {
			if text, err = user.read(path); err != nil {
				return nil, err
			}
		}
		replace[path] = text
	}
	o := b.listOptions()
	o.BuildFlags = b.command.BuildFlags()
	for _, flag := range b.flags {
		if strings.HasPrefix(flag, "-modfile=") { // with copies of modules
			o.BuildFlags = append(o.BuildFlags, flag)
		}
	}
	errs, err := tests.Errors(ctx, o, replace)
	if err != nil {
		return nil, err
	}
	byPath := map[string]rewrite.Errors{}
	for _, e := range errs {
		path := paths[filepath.Dir(e.Pos.Filename)]
		e.Pos.Filename = relativeTo(b.dir, e.Pos.Filename)
		byPath[path] = append(byPath[path], e)
	}
	return byPath, nil
}

// addSizeTests adds the tests of a package to tests, and the package's files that are marked in
// place to replace, without their markers.
func (b *Build) addSizeTests(tests *SizeTests, t *task, user replacements, replace map[string][]byte) error {
	if !t.mark {
		return nil
	}
	marking, err := b.o.Configure(t.root)
	if err != nil {
		return err
	}
	marking.All = false // only directives have size=
	units, err := (&planter{user: user}).readUnits(t, t.tests)
	if err != nil {
		return err
	}
	for _, read := range units {
		for _, s := range read.blanked {
			replace[filepath.Join(t.dir, filepath.Base(s.Name))] = s.Text
		}
		u, err := rewrite.Load(read.path, read.files)
		if err == nil && u.Find(marking.Options) == nil {
			tests.Add(u, t.dir)
		}
	}
	return nil
}
