package platform

import (
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// Build reads what the linker has put into the program about its modules (go version -m prints it):
// the import path of the main package, and the version of its module or else the first digits of
// the revision, with +dirty if there were changes since. What is not known is "".
func Build(modinfo string) (main, version string) {
	const around = 16 // bytes that mark the text's beginning in a file, and as many its end
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
	if len(main) >= layout.SizeMain { // another package has the part that there is room for
		main = ""
	}
	return main, version
}
