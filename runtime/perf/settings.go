//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// settings are what MARKGEN asks for.
type settings struct {
	config.Config             // Only has the globs in the file of only=@FILE once it is read
	listed        config.Only // the contents of that file
	matched       bool        // only= has matched a marker or counter, or the user was warned
}

// chooses reports whether some markers may be left out.
//
//go:noinline
func (c *settings) chooses() bool { return c.Only != "" || c.listed.Given || c.Skip != "" || c.Wild }

// readListed reads the file of only=@FILE, if there is one.
func (c *settings) readListed() (problem string) {
	if c.Only == "" || c.Only[0] != '@' {
		return ""
	}
	text, problem := datafile.ReadAll(c.Only[1:])
	if problem != "" {
		return config.KeyError("only", "cannot be "+c.Only+": "+problem+"; give a file with the ID of a marker or a glob on each line")
	}
	c.listed = config.ParseOnly(string(text))
	c.Only = c.listed.Globs
	return ""
}

// wants reports whether the marker of that ID and name is collected: only= is absent, lists the ID
// or has a matching glob, and skip= has no matching glob.
func (c *settings) wants(id, name string) bool {
	if (c.Only != "" || c.listed.Given) && !c.listed.Has(id) && !glob.Any(c.Only, name) {
		return false
	}
	c.matched = true
	return c.Skip == "" || !glob.Any(c.Skip, name)
}

// onlyProblem returns a warning, once, if the globs of only= match nothing. All tables have been
// registered. Lists of IDs, which markgen makes for several programs, and the name none are exempt.
// The caller holds the lock.
//
//go:norace
func (c *settings) onlyProblem() string {
	if c.Only == "" || c.Only == "none" || c.listed.Given || c.Wild || c.matched {
		return ""
	}
	c.matched = true
	return config.KeyError("only", "no marker matches "+c.Only+"; markgen list names markers")
}

// expand returns the path that file= or report= means in this process.
//
//go:noinline
func expand(path, app string, pid int, wallNS uint64) string {
	return config.Expand(path, func(b []byte, letter byte) []byte {
		switch letter {
		case 'p':
			return lite.AppendUint(b, uint64(pid))
		case 'a':
			return append(b, app...)
		}
		return lite.AppendTime(b, wallNS)
	})
}
