package report

import (
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// A commonPart is the prefix common to the names of all markers of a report, which the report shows
// only once: the path and the dot if all are in one package, "example.com/shop/cart.", otherwise
// whole elements of paths, "example.com/shop/". Names of stopwatches, which have no package, are
// not shortened; if shortening makes a name equal to one of them, there is no common part.
type commonPart string

func commonPartOf(markers []*profile.Marker) commonPart {
	common := ""
	for _, m := range markers {
		of := m.Package
		switch {
		case of == "":
		case common == "":
			common = of + "."
		default:
			for !strings.HasPrefix(of+".", common) {
				common = common[:strings.LastIndexByte(strings.TrimSuffix(common, "/"), '/')+1]
			}
			if common == "" {
				return ""
			}
		}
	}
	whole, cut := map[string]bool{}, map[string]bool{}
	for _, m := range markers {
		name := m.Name
		whole[name], cut[strings.TrimPrefix(name, common)] = true, true
	}
	if len(cut) < len(whole) {
		return ""
	}
	return commonPart(common)
}

// heading returns the line that shows the common part, or nil if there is none.
func (c commonPart) heading(p *profile.Profile) [][2]string {
	if c == "" {
		return nil
	}
	line := "begin with " + printable(string(c))
	for i := range p.Markers {
		if p.Markers[i].Package == "" {
			line += " (but for stopwatches)"
			break
		}
	}
	return [][2]string{{"names", line}}
}

// cut returns a name without the common part.
func (c commonPart) cut(name string) string {
	return printable(strings.TrimPrefix(name, string(c)))
}

// leastDistinct returns the minimum number of characters to which names can be shortened such that
// different names stay different.
func leastDistinct(names []string) int {
	slices.Sort(names)
	names = slices.Compact(names)
	most := 0
	for _, name := range names {
		most = max(most, width(name))
	}
	cut := make(map[string]bool, len(names))
	for ; most > 1; most-- {
		clear(cut)
		for _, name := range names {
			cut[shorten(name, most-1)] = true
		}
		if len(cut) < len(names) {
			break
		}
	}
	return most
}
