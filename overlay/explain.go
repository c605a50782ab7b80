package overlay

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/gc"
)

// An explainer translates the compiler's messages about marked source into messages about the
// user's source, where the latter compiles without markers.
type explainer struct {
	b    *Build
	own  *strings.Replacer // replaces the names of marked files
	user replacements      // the user's own overlay
	told bool              // there were errors in the expressions of directives
}

// explainer returns an explainer of the build's messages.
func (b *Build) explainer() (*explainer, error) {
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
	name, _ := b.plain.Flag("overlay")
	user, err := readReplacements(name, b.dir)
	return &explainer{b: b, own: named.restorer(b.dir), user: user}, err
}

// inMarked matches a position in marked source, whose lines are those of the original, but not its
// columns, except in the expressions of directives.
var inMarked = regexp.MustCompile(`^(.+?\.go):(\d+)(?::\d+)?: `)

// explain returns the text to print instead of go's lines: a heading "# import/path" and the
// compiler's messages.
func (x *explainer) explain(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		shown := x.own.Replace(line)
		switch m := inMarked.FindStringSubmatch(shown); {
		case m == nil:
		case x.inDirective(m[1], m[2]):
			x.told = true
			shown = strings.TrimSuffix(shown, "\n") + "; write an expression that compiles where the marked code begins: an integer for size=, a string for label=\n"
		case shown != line:
			shown = m[1] + ":" + m[2] + ": " + shown[len(m[0]):]
		}
		out.WriteString(shown)
	}
	return out.String()
}

// inDirective reports whether a directive is on a line of the user's source. Errors there are in its
// expressions; nothing else that a user writes can keep marked source from compiling.
func (x *explainer) inDirective(name, line string) bool {
	text, err := x.user.read(absolute(x.b.dir, name))
	lines := bytes.Split(text, []byte("\n"))
	n, _ := strconv.Atoi(line)
	return err == nil && 0 < n && n <= len(lines) && bytes.HasPrefix(bytes.TrimSpace(lines[n-1]), []byte(rewrite.DirectivePrefix))
}

// conclude prints that the markers are to blame, after the messages that show it, unless a directive
// is.
func (x *explainer) conclude() {
	if x.told {
		return
	}
	if v := x.b.env.GOVERSION; gc.Newer(v) {
		fmt.Fprintf(x.b.o.Stderr, "markgen: %s is newer than the releases this markgen was made for, up to %s; the message above is of what has changed since\n", v, gc.Newest().Lang)
	}
	fmt.Fprintln(x.b.o.Stderr, "markgen: this source compiles without markers; please report it, and leave the package out (-markpkg) until it is mended")
}
