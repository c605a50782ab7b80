package config

import (
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/runtime/glob"
)

// FileName is the name of the file; it lies at the module root.
const FileName = ".markgen.yaml"

// Config is what the file says. The zero Config keeps every marker as it is.
type Config struct {
	Include Filter // a marker has to match one pattern of each list that is not empty
	Exclude Filter // and none of these
	Group   []Rule // the first that matches a name gives its group
	Sample  []Rate // the first that matches a name gives its rate
}

// Filter is a choice of markers by pattern.
type Filter struct {
	Names  []string // full names
	Kinds  []string
	Groups []string
}

// Rule puts the markers whose names match into a group.
type Rule struct{ Pattern, Group string }

// Rate times one in N passages, N ≥ 1, of the markers whose names match.
type Rate struct {
	Pattern string
	N       int
}

// Keep reports whether p is to be a marker, for rewrite.Options.
func (c *Config) Keep(p *rewrite.Point) bool {
	in, out, group := &c.Include, &c.Exclude, c.group(p)
	return (len(in.Names) == 0 || matchAny(in.Names, p.Name)) &&
		(len(in.Kinds) == 0 || matchAny(in.Kinds, p.Kind)) &&
		(len(in.Groups) == 0 || matchAny(in.Groups, group)) &&
		!matchAny(out.Names, p.Name) && !matchAny(out.Kinds, p.Kind) && !matchAny(out.Groups, group)
}

// Adjust sets the group and the rate of p where its directive does not, for rewrite.Options.
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

// group returns the group of p, "" for none.
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
