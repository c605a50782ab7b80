package config

import (
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/runtime/glob"
)

// FileName is the name of the file, at the module root.
const FileName = ".markgen.yaml"

// Config is the content of the file. The zero Config keeps every marker unchanged.
type Config struct {
	Include Filter // a marker must match a pattern of each non-empty list
	Exclude Filter // and must match none of these
	Group   []Rule // the first rule that matches a name sets its group
	Sample  []Rate // the first rule that matches a name sets its rate
}

// A Filter selects markers by pattern.
type Filter struct {
	Names  []string // full names
	Kinds  []string
	Groups []string
}

// A Rule puts the markers whose names match into a group.
type Rule struct{ Pattern, Group string }

// A Rate times one of N scopes, N ≥ 1, of the markers whose names match.
type Rate struct {
	Pattern string
	N       int
}

// Keep reports whether p becomes a marker, for rewrite.Options.
func (c *Config) Keep(p *rewrite.Point) bool {
	in, out, group := &c.Include, &c.Exclude, c.group(p)
	return (len(in.Names) == 0 || matchAny(in.Names, p.Name)) &&
		(len(in.Kinds) == 0 || matchAny(in.Kinds, p.Kind)) &&
		(len(in.Groups) == 0 || matchAny(in.Groups, group)) &&
		!matchAny(out.Names, p.Name) && !matchAny(out.Kinds, p.Kind) && !matchAny(out.Groups, group)
}

// Adjust sets the group and the rate of p unless its directive does, for rewrite.Options.
func (c *Config) Adjust(p *rewrite.Point) {
	p.Group = c.group(p)
	if p.Sample > 0 {
		return
	}
	for _, r := range c.Sample {
		if glob.Match(r.Pattern, p.Name) {
			p.Sample = r.N
			return
		}
	}
}

// group returns the group of p, or "".
func (c *Config) group(p *rewrite.Point) string {
	if p.Group != "" {
		return p.Group
	}
	for _, r := range c.Group {
		if glob.Match(r.Pattern, p.Name) {
			return r.Group
		}
	}
	return ""
}

func matchAny(patterns []string, text string) bool {
	for _, p := range patterns {
		if glob.Match(p, text) {
			return true
		}
	}
	return false
}
