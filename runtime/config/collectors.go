package config

import "github.com/markgen/markgen/runtime/internal/lite"

const (
	wantedCollectors = "time, trace, wild, alloc, wait, io, hw or the name of one of the program's collectors, with + between several"
	wantedAtEdges    = "collectors besides time and trace, or nothing"
)

// BuiltIn reports whether name is a built-in value of collect=. All other names are those of the
// program's own collectors.
func BuiltIn(name string) bool {
	switch name {
	case "time", "trace", "wild", "alloc", "wait", "io", "hw":
		return true
	}
	return false
}

// IsName reports whether a collector, or a value that it reads, may have that name: lower-case letters, digits and _.
func IsName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// Has reports whether a name is in a list in the format of collect=, with + between names.
//
//go:noinline
func Has(list, name string) bool {
	for list != "" {
		var one string
		if one, list = lite.Cut(list, '+'); one == name {
			return true
		}
	}
	return false
}

// Collects reports whether the configuration asks for a collector.
//
//go:noinline
func (c *Config) Collects(name string) bool {
	return c.Collect == "" && name == "time" || Has(c.Collect, name)
}

// Reads reports whether the configuration asks for collectors that are read at the ends of scopes.
func (c *Config) Reads() bool { return c.ReadsBesides("time") }

// ReadsBesides is Reads without the collector of that name.
func (c *Config) ReadsBesides(name string) bool {
	for list := c.Collect; list != ""; {
		var one string
		if one, list = lite.Cut(list, '+'); one != "time" && one != "trace" && one != name {
			return true
		}
	}
	return false
}

// NoCollector returns the message that the program has no collector of that name.
func (c *Config) NoCollector(name string) string {
	key, wanted := "collect", wantedCollectors
	if c.AtEdges != "" { // collect is nothing but time and trace then
		key, wanted = "adapt", wantedAtEdges
	}
	return KeyError(key, "no collector has the name "+name+"; give "+wanted)
}

// areNames reports whether a list has valid names with + between them. Whether the collectors exist
// is only known when the program has registered its own.
func areNames(list string) bool {
	for rest := list; rest != ""; {
		var one string
		if one, rest = lite.Cut(rest, '+'); !IsName(one) {
			return false
		}
	}
	return list != "" && list[len(list)-1] != '+'
}
