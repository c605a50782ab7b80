package report

import (
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
)

// A commonPart is what the names of all markers of a report begin with, which is said once:
// the path and the dot if they are of one package, "example.com/shop/cart.", else whole elements of
// paths, "example.com/shop/". Names of stopwatches are of no package and are left as they are;
// where one of them could then be taken for that of a marker, nothing is common.
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

// heading is the line about it, nil if there is no common part.
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

// cut is a name without the common part.
func (c commonPart) cut(name string) string {
	return printable(strings.TrimPrefix(name, string(c)))
}

// leastDistinct is the least number of characters to which names can be cut down so that those that
// differ still do.
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
