package overlay

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/gc"
)

// An explainer translates the compiler's messages about marked source into messages about the
// user's source, where the latter compiles without markers.
type explainer struct {
	b     *Build
	own   *strings.Replacer         // replaces the names of marked files
	sizes map[string]rewrite.Errors // errors in size= expressions by import path
	below bool                      // the current heading is of a package with such errors
	left  bool                      // there are messages that are not about size= expressions
}

// explainer returns an explainer with the errors in the build's size= expressions: nothing else
// that a user writes can keep marked source from compiling.
func (b *Build) explainer(ctx context.Context) (*explainer, error) {
	x, err := b.namer()
	if err == nil {
		x.sizes, err = b.sizeErrors(ctx)
	}
	return x, err
}

// namer returns an explainer that only replaces file names, for warnings.
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

// inMarked matches a position in marked source, whose lines are those of the original, but not its
// columns.
var inMarked = regexp.MustCompile(`^(.+?\.go):(\d+)(?::\d+)?: `)

// explain returns the text to print instead of go's lines: a heading "# import/path" and the
// compiler's messages.
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

// sizesOf returns the errors of the package in a heading, which may be of a test: "path_test
// [path.test]".
func (x *explainer) sizesOf(heading string) rewrite.Errors {
	path, _, _ := strings.Cut(strings.TrimSpace(heading), " ")
	if errs := x.sizes[path]; errs != nil {
		return errs
	}
	return x.sizes[strings.TrimSuffix(path, "_test")]
}

// conclude prints that the markers are to blame, after the messages that show it.
func (x *explainer) conclude() {
	if !x.left {
		return
	}
	if v := x.b.env.GOVERSION; gc.Newer(v) {
		fmt.Fprintf(x.b.o.Stderr, "markgen: %s is newer than the releases this markgen was made for, up to %s; the message above is of what has changed since\n", v, gc.Newest().Lang)
	}
	fmt.Fprintln(x.b.o.Stderr, "markgen: this source compiles without markers; please report it, and leave the package out (-markpkg) until it is mended")
}
