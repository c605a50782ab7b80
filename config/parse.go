package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
)

// Parse parses the text of a file. The error joins all errors, each in the form "name:line:col:
// what; what to do". The column of a YAML syntax error is always 1, since the YAML decoder does not
// report it.
func Parse(name string, text []byte) (*Config, error) {
	r := reader{name: name}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return new(Config), nil
	case err != nil:
		return nil, r.syntax(err)
	}
	switch err := dec.Decode(&more); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, r.syntax(err)
	default:
		r.fail(&more, "a second document begins", "put everything into the first")
		return nil, errors.Join(r.errs...)
	}
	if len(doc.Content) == 0 {
		return new(Config), nil
	}
	c := r.config(doc.Content[0])
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return c, nil
}

// A reader collects the errors of one file.
type reader struct {
	name string
	errs []error
}

func (r *reader) fail(n *yaml.Node, what, remedy string) {
	r.errs = append(r.errs, fmt.Errorf("%s:%d:%d: %s; %s", r.name, max(n.Line, 1), max(n.Column, 1), what, remedy))
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(?s:(.*))$`)

// syntax rewords an error of the YAML decoder.
func (r *reader) syntax(err error) error {
	line, what := "1", err.Error()
	if m := yamlError.FindStringSubmatch(what); m != nil {
		what = m[2]
		if m[1] != "" && m[1] != "0" {
			line = m[1]
		}
	}
	return fmt.Errorf("%s:%s:1: %s; write it as YAML, patterns that begin with * in quotes", r.name, line, what)
}

func (r *reader) config(n *yaml.Node) *Config {
	c := new(Config)
	if isNull(n) {
		return c
	}
	r.mapping(n, "the file", "include, exclude, group and sample", []string{"include", "exclude", "group", "sample"}, func(key string, at, v *yaml.Node) {
		switch key {
		case "include":
			c.Include = r.filter(v, key)
		case "exclude":
			c.Exclude = r.filter(v, key)
		case "group":
			r.mapping(v, key, `patterns and their groups, as in "*/db.*": database`, nil, func(pattern string, at, v *yaml.Node) {
				if group, ok := r.group(v); ok && r.pattern(at, pattern) {
					c.Group = append(c.Group, Rule{pattern, group})
				}
			})
		case "sample":
			r.mapping(v, key, `patterns and their rates, as in "*/db.*": 1:100`, nil, func(pattern string, at, v *yaml.Node) {
				if rate, ok := r.rate(v); ok && r.pattern(at, pattern) {
					c.Sample = append(c.Sample, Rate{pattern, rate})
				}
			})
		}
	})
	return c
}

func (r *reader) filter(n *yaml.Node, name string) Filter {
	var f Filter
	r.mapping(n, name, "names, kinds and groups", []string{"names", "kinds", "groups"}, func(key string, at, v *yaml.Node) {
		switch key {
		case "names":
			f.Names = r.patterns(v, name+"."+key, nil)
		case "kinds":
			f.Kinds = r.patterns(v, name+"."+key, kinds)
		case "groups":
			f.Groups = r.patterns(v, name+"."+key, nil)
		}
	})
	return f
}

var kinds = []string{rewrite.KindFunc, rewrite.KindLoop, rewrite.KindBranch, rewrite.KindBlock, rewrite.KindRegion, rewrite.KindPoint}

// mapping calls each for the pairs of a mapping, which may be null. Keys must be in known, unless
// that is nil.
func (r *reader) mapping(n *yaml.Node, name, wanted string, known []string, each func(key string, at, value *yaml.Node)) {
	if isNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.fail(n, name+" is not a mapping", "write keys with values: "+wanted)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at, value := n.Content[i], n.Content[i+1]
		key := at.Value
		switch line, twice := seen[key], seen[key] > 0; {
		case at.Kind != yaml.ScalarNode:
			r.fail(at, "the key of "+name+" is not a text", "write it on one line")
		case twice:
			r.fail(at, fmt.Sprintf("the key %q is there twice, first in line %d", key, line), "put the two together")
		case known != nil && !slices.Contains(known, key):
			r.fail(at, fmt.Sprintf("unknown key %q", key), "the keys of "+name+" are "+strings.Join(known, ", "))
		default:
			each(key, at, value)
		}
		seen[key] = at.Line
	}
}

// patterns reads a list of patterns. If among is not nil, each pattern must match one of its
// elements.
func (r *reader) patterns(n *yaml.Node, name string, among []string) []string {
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.fail(n, name+" is not a list", `write ["PATTERN", "PATTERN"]`)
		return nil
	}
	var list []string
	for _, v := range n.Content {
		if v.Kind != yaml.ScalarNode {
			r.fail(v, "a pattern in "+name+" is not a text", `write "PATTERN"`)
			continue
		}
		matches := func(s string) bool { return glob.Match(v.Value, s) }
		switch {
		case !r.pattern(v, v.Value):
		case among != nil && !slices.ContainsFunc(among, matches):
			r.fail(v, fmt.Sprintf("%q matches no kind", v.Value), "the kinds are "+strings.Join(among, ", "))
		default:
			list = append(list, v.Value)
		}
	}
	return list
}

// pattern checks a pattern. The dots of Go's "..." are a likely mistake: they would only match
// themselves.
func (r *reader) pattern(n *yaml.Node, text string) bool {
	switch {
	case text == "":
		r.fail(n, "a pattern is empty", `leave it out, or write "*" for everything`)
	case strings.Contains(text, "..."):
		r.fail(n, fmt.Sprintf("the pattern %q has three dots", text), "write * for any text")
	default:
		return true
	}
	return false
}

// group reads the name of a group, which must be one word, since reports and tables show it in a
// column.
func (r *reader) group(n *yaml.Node) (string, bool) {
	bad := func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) || c == unicode.ReplacementChar }
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Value == "-" || strings.ContainsFunc(n.Value, bad) {
		r.fail(n, "the name of a group is not one word", "write a name without blanks")
		return "", false
	}
	return n.Value, true
}

func (r *reader) rate(n *yaml.Node) (int, bool) {
	rate, ok := config.Rate(n.Value)
	if n.Kind != yaml.ScalarNode || !ok {
		r.fail(n, fmt.Sprintf("%q is not a rate", n.Value), fmt.Sprintf("write 1:N with N from 1 to %d", config.MaxRate))
		return 0, false
	}
	return int(rate), true
}

// isNull reports whether a key has no value.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }
