package platform

import (
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// Build parses what the linker has put into the program about its modules (go version -m prints
// it). It returns the import path of the main package, and the version of its module, or else the
// first digits of the revision, with +dirty if there were changes since. What is unknown is "".
func Build(modinfo string) (main, version string) {
	const around = 16 // length of the marks before and after the text
	if len(modinfo) < 2*around {
		return "", ""
	}
	revision, dirty := "", ""
	for text := modinfo[around : len(modinfo)-around]; text != ""; {
		var line string
		line, text = lite.Cut(text, '\n')
		kind, rest := lite.Cut(line, '\t')
		switch kind {
		case "path":
			main = rest
		case "mod":
			_, rest = lite.Cut(rest, '\t')
			if v, _ := lite.Cut(rest, '\t'); len(v) > 1 && v[0] == 'v' && v[1] >= '0' && v[1] <= '9' { // not (devel)
				version = v
			}
		case "build":
			switch key, value := lite.Cut(rest, '='); key {
			case "vcs.revision":
				revision = value[:min(len(value), 12)]
			case "vcs.modified":
				if value == "true" {
					dirty = "+dirty"
				}
			}
		}
	}
	if version == "" && revision != "" {
		version = revision + dirty
	}
	if len(main) >= layout.SizeMain { // cut to SizeMain, it could be another package's path
		main = ""
	}
	return main, version
}
