package overlay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/markgen/markgen/overlay/deep"
)

// deepen adds the package runtime of a deep build to the replacements r. user are the user's
// replacements.
func (b *Build) deepen(ctx context.Context, r, user replacements) error {
	const without = "leave -deep out: collect=alloc then reports what the whole process allocates"
	if !inlinable(b.env.GOARCH) {
		return fmt.Errorf("-deep: there are no deep builds for %s, only for amd64 and arm64; %s", b.env.GOARCH, without)
	}
	p, err := b.goRuntime(ctx)
	if err != nil {
		return err
	}
	var files []deep.File
	for _, name := range p.GoFiles {
		text, err := user.read(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		files = append(files, deep.File{Name: name, Text: text})
	}
	files, err = deep.Rewrite(b.env.GOVERSION, files)
	if err != nil {
		return fmt.Errorf("-deep: %w\n%s", err, without)
	}
	for _, f := range files {
		to, err := b.cache.text(f.Text, ".go")
		if err != nil {
			return err
		}
		r[filepath.Join(p.Dir, f.Name)] = to
	}
	return nil
}

// goRuntime returns Go's package runtime. go list includes it as a dependency only if a package
// imports it explicitly.
func (b *Build) goRuntime(ctx context.Context) (*Package, error) {
	is := func(p *Package) bool { return p.ImportPath == "runtime" }
	if i := slices.IndexFunc(b.packages, is); i >= 0 {
		return b.packages[i], nil
	}
	o := b.listOptions()
	o.Patterns, o.Deps, o.Tests = []string{"runtime"}, false, false
	list, err := List(ctx, o)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return nil, errors.New("-deep: go list runtime does not name that package; leave -deep out")
	}
	return list[i], nil
}
