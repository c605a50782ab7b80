package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/rewrite"
)

// groupBuilds are the builds of a scenario: one with all markers for the first pass, and one for
// each group with only its markers. A marker that is off still costs at least a test, which would
// count in the time of the calling function: with a child of a few ns, more than the measurement
// error should be.
type groupBuilds[T any] struct {
	w    *isolateWork
	own  *ownFlags
	make func(ctx context.Context, env *cli.Env, own *ownFlags, dir string) (T, int, error)
	all  T
	kept map[string]T // builds by their set of markers
}

// errBuild reports that the build failed, after go has printed why.
var errBuild = errors.New("it can't be built")

// first builds the scenario with all markers.
func (b *groupBuilds[T]) first(ctx context.Context) (T, int, error) {
	env := *b.w.env
	built, code, err := b.make(ctx, &env, b.own, b.newDir("all"))
	b.all, b.kept = built, map[string]T{}
	return built, code, err
}

func (b *groupBuilds[T]) newDir(name string) string {
	dir := filepath.Join(b.w.dir, name)
	_ = os.Mkdir(dir, 0o700) // if this fails, writing there fails
	return dir
}

// of returns the build for a pass with the given markers; nil means all.
func (b *groupBuilds[T]) of(ctx context.Context, only []*profile.Marker) (T, error) {
	if only == nil || b.w.own.onebuild {
		return b.all, nil
	}
	names := make(map[string]bool, len(only))
	var what strings.Builder
	for _, m := range only {
		names[m.Name] = true
		what.WriteString(m.Name + "\n")
	}
	if built, ok := b.kept[what.String()]; ok {
		return built, nil
	}
	own := *b.own
	own.deep = false
	own.keep = func(p *rewrite.Point) bool { return b.own.keep(p) && names[p.Name] }
	own.keepWhat = b.own.keepWhat + " only " + what.String()
	env := *b.w.env
	var said bytes.Buffer // messages were already printed for the first build
	env.Stderr = &said
	built, _, err := b.make(ctx, &env, &own, b.newDir("group"+strconv.Itoa(len(b.kept)+1)))
	if err != nil {
		_, _ = said.WriteTo(b.w.env.Stderr)
		return built, err
	}
	b.kept[what.String()] = built
	return built, nil
}

// failBuild reports that a build failed and returns the exit code.
func failBuild(ctx context.Context, e *cli.Env, code int, err error) int {
	var by interrupt.Error
	switch {
	case errors.As(context.Cause(ctx), &by):
		return by.ExitCode()
	case errors.Is(err, errBuild):
		return max(code, cli.Failure)
	}
	return max(code, failGo(e, err))
}
