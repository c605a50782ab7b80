package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/config"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
)

// A sideBuild builds a side of a repetition with go.
type sideBuild struct {
	side *side
	env  *cli.Env // of the tree that is built
	own  *ownFlags
	args []string // arguments of go
	dir  string   // directory for the built programs
}

// builds runs a repetition for test or run: for the current tree and, with -old, for another state
// of the module. functions sets the functions with which a side builds and runs.
func (r *repetition) builds(ctx context.Context, verb string, own *ownFlags, args []string, functions func(*side, *sideBuild)) int {
	command, err := overlay.ParseCommandLine(verb, args)
	if err != nil {
		return r.env.Wrong("%v", err)
	}
	defer r.end()
	if err := r.begin(); err != nil {
		return r.env.Fail(err)
	}
	var earlier func(root string) []byte
	for i, s := range r.sides {
		b := &sideBuild{side: s, env: r.env, own: own, args: args, dir: filepath.Join(r.dir.Path, []string{"old", "new"}[i])}
		if err := os.Mkdir(b.dir, 0o700); err != nil {
			return r.env.Fail(err)
		}
		if s.name == "old" {
			for _, p := range command.Packages() {
				if filepath.IsAbs(p) {
					return r.env.Wrong("%s is one place, and -old names another; name packages by relative paths or import paths", p)
				}
			}
			tree, err := openOldTree(ctx, r.env, own.old, r.env.Path(command.Dir))
			if ctx.Err() != nil {
				return r.interrupted(ctx, "before the first run")
			}
			if err != nil {
				return r.env.Fail(err)
			}
			defer tree.remove()
			s.shown = "old (" + tree.name + ")"
			b.moveTo(tree, command, &s.held)
			earlier = markersOf(ctx, r.env, tree, b)
		} else if earlier != nil {
			with := *own
			with.earlier = earlier
			b.own = &with
		}
		functions(s, b)
	}
	return r.run(ctx)
}

// prepare calls the function prepare for the side.
func (b *sideBuild) prepare(ctx context.Context, verb string) (build *overlay.Build, code int) {
	build, code = prepare(ctx, b.env, verb, b.own, b.args)
	if build != nil {
		b.side.unmarked = b.own.unmarked(build)
	}
	return build, code
}

// moveTo makes the side build another tree, with the settings of the current one: both must be
// marked in the same way for their times to be comparable.
func (b *sideBuild) moveTo(t *oldTree, command *overlay.CommandLine, held *heldOutput) {
	env, own := *b.env, *b.own
	env.Dir, env.Stdin, env.Stdout, env.Stderr = t.dir, nil, &held.stdout, &held.stderr
	if own.config != "" {
		own.config = b.env.Path(own.config)
	}
	own.settings = func(root string) string {
		if rest, ok := strings.CutPrefix(root, t.root); ok {
			return t.here + rest
		}
		return root
	}
	b.env, b.own, b.args = &env, &own, command.Words(nil) // without -C, which is in Dir
}

// markersOf returns the registries of the old tree, by the root of the corresponding module in the
// current tree, with all markers of the build, so that code that was renamed or edited since keeps
// its IDs and can be compared.
func markersOf(ctx context.Context, e *cli.Env, t *oldTree, b *sideBuild) func(root string) []byte {
	env := *b.env
	env.Dir = t.root
	o := loadOptions{Form: b.own.form, Patterns: []string{"work"}, All: b.own.all, Config: b.own.config}
	if name := filepath.Join(t.here, config.FileName); o.Config == "" && isFile(name) {
		o.Config = name
	}
	modules, err := loadModules(ctx, &env, o)
	if err != nil && ctx.Err() == nil {
		e.Warn(fmt.Sprintf("markers of code that was renamed or edited since %s may not be compared: %v", t.name, err))
		return nil
	}
	texts := map[string][]byte{}
	for _, m := range modules {
		if rest, ok := strings.CutPrefix(m.Root, t.root); ok {
			texts[t.here+rest] = m.After.Format()
		}
	}
	return func(root string) []byte { return texts[root] }
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
