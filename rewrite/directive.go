package rewrite

import (
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/internal/spelling"
	"github.com/markgen/markgen/runtime/config"
)

// A directive is a //perf: comment (DESIGN §4).
type directive struct {
	pos     token.Pos
	end     token.Pos
	verb    string
	name    string
	sample  int // N of sample=1:N; 0 if absent
	count   bool
	long    bool
	group   string
	size    string
	sizePos token.Pos // position of the expression

	label    string
	labelPos token.Pos // position of the expression
	own      bool      // it is on a line of its own
}

// DirectivePrefix begins every directive.
const DirectivePrefix = "//perf:"

var verbs = []string{"mark", "skip", "begin", "end", "point", "pause", "resume"}

// readDirectives appends the directives of a file to f.dirs, in order, and returns their syntax
// errors.
func (f *file) readDirectives() (errs Errors) {
	fail := func(pos token.Pos, what, remedy string) {
		errs = append(errs, &Error{f.position(pos), what, remedy})
	}
	for _, group := range f.ast.Comments {
		for _, c := range group.List {
			if len(c.Text) < len(DirectivePrefix) || c.Text[1] != '/' {
				continue
			}
			if !strings.HasPrefix(c.Text, DirectivePrefix) {
				if verb := almostDirective(c.Text); verb != "" {
					fail(c.Pos(), "a directive is written without spaces and in lower case", "write "+DirectivePrefix+verb)
				}
				continue
			}
			d := &directive{pos: c.Pos(), end: c.Pos() + token.Pos(len(c.Text)), own: f.ownLine(c.Pos())}
			fields := strings.Fields(c.Text[len(DirectivePrefix):])
			if len(fields) > 0 && strings.HasPrefix(c.Text[len(DirectivePrefix):], fields[0]) {
				d.verb, fields = fields[0], fields[1:]
			}
			at := len(DirectivePrefix) + len(d.verb)
			for _, field := range fields {
				at += strings.Index(c.Text[at:], field)
				if strings.HasPrefix(field, "size=") {
					d.sizePos = c.Pos() + token.Pos(at+len("size="))
				}
				if strings.HasPrefix(field, "label=") {
					d.labelPos = c.Pos() + token.Pos(at+len("label="))
				}
				at += len(field)
			}
			if what, remedy := d.parse(fields); what != "" {
				fail(c.Pos(), what, remedy)
				if !d.region() { // keep regions, or their other end would be an error too
					continue
				}
			}
			if d.size != "" && !isExpression(d.size) {
				fail(d.sizePos, "size="+d.size+" is not an expression", "write an integer expression without blanks and comments, as in size=len(x)")
				if !d.region() {
					continue
				}
			}
			if d.label != "" && !isExpression(d.label) {
				fail(d.labelPos, "label="+d.label+" is not an expression", "write a string expression without blanks and comments, as in label=r.Method")
				if !d.region() {
					continue
				}
			}
			if !d.own {
				fail(c.Pos(), DirectivePrefix+d.verb+" stands behind code", "put it on a line of its own, above what it means")
				if !d.region() {
					continue
				}
			}
			f.dirs = append(f.dirs, d)
		}
	}
	return errs
}

// almostDirective returns the verb of a comment that is apparently meant as a directive, but has
// blanks or capital letters in its prefix: it has a verb and at most one more word, or a key. Else
// it returns "".
func almostDirective(text string) string {
	rest := strings.TrimLeft(text[2:], " \t")
	if len(rest) < 5 || !strings.EqualFold(rest[:5], "perf:") {
		return ""
	}
	fields := strings.Fields(rest[5:])
	if len(fields) == 0 || len(fields) > 2 && !strings.Contains(rest, "=") {
		return ""
	}
	for _, v := range verbs {
		if strings.EqualFold(fields[0], v) {
			return v
		}
	}
	return ""
}

// ownLine reports whether only blanks precede a comment on its line.
func (f *file) ownLine(pos token.Pos) bool {
	for i := f.offset(pos) - 1; i >= 0; i-- {
		switch f.Text[i] {
		case ' ', '\t':
		case '\n':
			return true
		default:
			return i == 2 && strings.HasPrefix(string(f.Text[:3]), "\uFEFF")
		}
	}
	return true
}

// region reports whether d is the begin or end of a named region.
func (d *directive) region() bool { return (d.verb == "begin" || d.verb == "end") && d.name != "" }

// parse parses the fields after the verb. It returns an error and its remedy, or "". A name that
// precedes the error is set nevertheless.
func (d *directive) parse(fields []string) (what, remedy string) {
	if !slices.Contains(verbs, d.verb) {
		all := "write one of //perf:" + strings.Join(verbs, ", //perf:")
		if d.verb == "" {
			return "a directive without a verb", all
		}
		if near := spelling.Nearest(d.verb, verbs); near != "" {
			all = "did you mean //perf:" + near + "?"
		}
		return "unknown directive //perf:" + d.verb, all
	}
	seen := map[string]bool{}
	var words []string
	for _, field := range fields {
		key, value, has := strings.Cut(field, "=")
		if !has && key != "count" && key != "long" {
			if len(seen) > 0 {
				return "the name " + strconv.Quote(field) + " stands behind a key", "write the name first, then the keys"
			}
			words = append(words, field)
			d.name = strings.Join(words, " ")
			continue
		}
		if d.verb != "mark" && d.verb != "begin" && d.verb != "point" {
			return "//perf:" + d.verb + " takes no key", "leave out " + field
		}
		if seen[key] {
			return "the key " + key + " is given twice", "leave one of them"
		}
		seen[key] = true
		if what, remedy := d.set(key, value, has); what != "" {
			return what, remedy
		}
	}
	switch d.verb {
	case "begin", "end", "point":
		if d.name == "" {
			return "//perf:" + d.verb + " without a name", "write //perf:" + d.verb + " NAME"
		}
	case "skip", "pause", "resume":
		if d.name != "" {
			return "//perf:" + d.verb + " takes no name", "leave out " + strconv.Quote(d.name)
		}
	}
	if d.count && d.sample > 0 {
		return "count and sample exclude each other: what is only counted has no times to take a sample of", "leave out one of them"
	}
	if d.count && d.size != "" {
		return "count and size exclude each other: what is only counted has no times to relate to a size", "leave out one of them"
	}
	if d.count && d.label != "" {
		return "count and label exclude each other: what is only counted has no path to split", "leave out one of them"
	}
	if strings.ContainsAny(d.name, ":;") {
		return "a name has no colon and no semicolon", "rename " + strconv.Quote(d.name)
	}
	return "", ""
}

var keys = []string{"sample", "count", "group", "size", "label", "long"}

func (d *directive) set(key, value string, has bool) (what, remedy string) {
	if has && value == "" {
		return "the key " + key + " has no value", "write " + key + "=VALUE, or leave it out"
	}
	switch key {
	case "sample":
		n, ok := config.Rate(value)
		if !ok {
			return "sample=" + value + " is not a rate", fmt.Sprintf("write sample=1:N with N from 1 to %d", config.MaxRate)
		}
		if d.verb == "point" {
			return "a point is counted and not timed, so there is nothing to sample", "leave out sample=" + value
		}
		d.sample = int(n)
	case "count":
		if has {
			return "the key count takes no value", "write count"
		}
		d.count = true
	case "long":
		if has {
			return "the key long takes no value", "write long"
		}
		d.long = true
	case "group":
		d.group = value
	case "size":
		if d.verb == "point" {
			return "a point has no size", "leave out size=" + value
		}
		d.size = value
	case "label":
		if d.verb == "point" {
			return "a point has no label", "leave out label=" + value
		}
		d.label = value
	default:
		if near := spelling.Nearest(key, keys); near != "" {
			return "unknown key " + key, "did you mean " + near + "?"
		}
		return "unknown key " + key, "the keys are " + strings.Join(keys, ", ")
	}
	return "", ""
}

// isExpression reports whether a text is an expression without comments.
func isExpression(text string) bool {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), []byte(text), nil, scanner.ScanComments)
	for {
		_, tok, _ := s.Scan()
		if tok == token.COMMENT {
			return false
		}
		if tok == token.EOF {
			break
		}
	}
	_, err := parser.ParseExpr(text)
	return err == nil
}
