package overlay

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/gc"
)

// An explainer turns what the compiler says of marked text, where the source as the user wrote it compiles, into what
// is to be said of that source.
type explainer struct {
	b     *Build
	own   *strings.Replacer         // of names of marked text
	sizes map[string]rewrite.Errors // what is wrong with the expressions of size=, by import path
	below bool                      // the last line but those left out was the heading of a package with such errors
	left  bool                      // there is a message that is about no such expression
}

// explainer finds out what is wrong with the expressions of size= in the build: nothing else that a user writes can
// keep marked source from compiling.
func (b *Build) explainer(ctx context.Context) (*explainer, error) {
	x, err := b.namer()
	if err == nil {
		x.sizes, err = b.sizeErrors(ctx)
	}
	return x, err
}

// namer is an explainer that knows of no errors, and puts names into warnings.
func (b *Build) namer() (*explainer, error) {
	r := replacements{}
	for _, flag := range b.flags {
		if name, ok := strings.CutPrefix(flag, "-overlay="); ok {
			var err error
			if r, err = readReplacements(name, b.dir); err != nil {
				return nil, err
			}
		}
	}
	named := replacements{}
	for path, to := range r {
		if b.origins != nil && within(b.origins.Copies, path) {
			path = b.origins.Cache + strings.TrimPrefix(path, b.origins.Copies)
		}
		named[path] = to
	}
	return &explainer{b: b, own: named.restorer(b.dir)}, nil
}

// inMarked is a place in marked text, whose lines are those of the source but not its columns.
var inMarked = regexp.MustCompile(`^(.+?\.go):(\d+)(?::\d+)?: `)

// explain returns what is to be printed instead of lines of go's: "# import/path", and the compiler's messages below.
func (x *explainer) explain(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			errs := x.sizesOf(heading)
			out.WriteString(line)
			if x.below = len(errs) > 0; x.below {
				out.WriteString(errs.Error() + "\n")
			}
			continue
		}
		if x.below {
			continue
		}
		x.left = true
		shown := x.own.Replace(line)
		if m := inMarked.FindStringSubmatch(shown); m != nil && shown != line {
			shown = m[1] + ":" + m[2] + ": " + shown[len(m[0]):]
		}
		out.WriteString(shown)
	}
	return out.String()
}

// sizesOf returns what is wrong in the package of a heading, which may be one of its tests: "path_test [path.test]".
func (x *explainer) sizesOf(heading string) rewrite.Errors {
	path, _, _ := strings.Cut(strings.TrimSpace(heading), " ")
	if errs := x.sizes[path]; errs != nil {
		return errs
	}
	return x.sizes[strings.TrimSuffix(path, "_test")]
}

// conclude says that marking was wrong, after the message that shows it.
func (x *explainer) conclude() {
	if !x.left {
		return
	}
	if v := x.b.env.GOVERSION; gc.Newer(v) {
		fmt.Fprintf(x.b.o.Stderr, "markgen: %s is newer than the releases this markgen was made for, up to %s; the message above is of what has changed since\n", v, gc.Newest().Lang)
	}
	fmt.Fprintln(x.b.o.Stderr, "markgen: this source compiles without markers; please report it, and leave the package out (-markpkg) until it is mended")
}
