package overlay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/markgen/markgen/rewrite/gc"
)

// Test vets, builds and runs the tests of a test verb and returns go test's exit code. As with go
// test, packages that fail vet are reported as failed and not run. c may be nil for -c, which only
// builds.
func (b *Build) Test(ctx context.Context, c *Collection) (int, error) {
	found, err := b.vet(ctx)
	if err != nil {
		return 2, err
	}
	out := newTestOutput(b.o.Stdout, b.plain.Bool("json"))
	out.frame = gc.Of(b.env.GOVERSION).FrameType
	packages, names := []string(nil), b.plain.Packages()
	bench, _ := b.plain.Flag("bench")
	fuzz, _ := b.plain.Flag("fuzz")
	out.bare = len(names) == 0 || bench != "" || fuzz != ""
	failed := 0
	for _, p := range b.named() {
		lines := found[p.ImportPath]
		out.packages = append(out.packages, p.ImportPath)
		if len(lines) == 0 {
			packages = append(packages, p.ImportPath)
			continue
		}
		failed++
		out.fail(p, lines, b.o.Stderr)
	}
	if err := out.catchUp(0); err != nil {
		return 1, err
	}
	if failed == 0 {
		packages = nil // as the user named them
	} else if len(packages) == 0 {
		err := out.Close()
		if len(names) > 0 && !out.json {
			fmt.Fprintln(b.o.Stdout, "FAIL")
		}
		return 1, err
	}
	more := []string{"-vet=off"}
	environ := b.environ
	if c != nil {
		environ = c.Environ(environ)
		if _, ok := b.plain.Flag("count"); !ok {
			more = append(more, "-count=1") // a cached result would have no data
		}
		if b.cover != nil {
			b.cover.collection = c
			out.coverage = b.cover.result
		}
	}
	stdout := b.o.Stdout
	if failed > 0 || out.coverage != nil {
		stdout = out
	}
	build := *b
	build.command = b.command.Without("vet")
	held := &heldMessages{w: b.o.Stderr, all: b.plain.Bool("x") || b.plain.Bool("n") || b.plain.Bool("json")}
	plain := func() []string {
		return append([]string{"test", "-c", "-vet=off", "-o", os.DevNull}, b.plain.Without(append(coverFlags, "vet", "c", "o", "v")...).withoutArgs("test").Words(packages)...)
	}
	var events *buildEvents
	if b.eventful() {
		events = b.events(ctx, stdout, plain)
		stdout = events
	}
	code, err := b.goRun(ctx, environ, build.words("test", packages, more...), b.o.Stdin, stdout, held)
	if err != nil {
		return code, err
	}
	if events != nil {
		err = b.endEvents(events, held)
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return code, err
	}
	if events == nil {
		err = b.explain(ctx, code, held, plain)
	}
	if failed > 0 && code == 0 {
		code = 1
		if len(names) > 0 && !out.json {
			fmt.Fprintln(b.o.Stdout, "FAIL")
		}
	}
	if b.cover != nil && c != nil && err == nil {
		err = b.cover.write()
	}
	return code, err
}

// fail records that a package failed vet: the messages go to stderr, the result to its place among
// the others.
func (o *testOutput) fail(p *Package, lines []string, stderr io.Writer) {
	o.failed[p.ImportPath] = true
	text := "# " + p.ImportPath + "\n# [" + p.ImportPath + "]\n" + strings.Join(lines, "\n") + "\n"
	if !o.json {
		fmt.Fprint(stderr, text)
		return
	}
	o.messages[p.ImportPath] = slices.Collect(strings.Lines(text))
	o.builds[p.ImportPath] = p.ImportPath
	if len(p.TestGoFiles) > 0 {
		o.builds[p.ImportPath] += " [" + p.ImportPath + ".test]" // go's name for the package compiled with its tests
	}
}
