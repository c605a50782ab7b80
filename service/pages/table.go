package pages

import (
	"fmt"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// A table is one that all pages show alike: with a caption, a name for each line, and on narrow screens a line below the other.
type table struct {
	Caption string
	Head    []string // the first is that of the lines' names
	Rows    []row
	Note    string // what is to be known besides; "" nothing
	Wide    bool   // names are long: they have a line of their own on any screen
}

type row struct {
	Name  name
	Cells []cell
}

// A name is what a line of a table is about.
type name struct {
	Path  string // in front of it, less important; "" nothing
	Text  string
	Href  string
	Label string // beside it; "" nothing
}

type cell struct {
	Text  string
	Href  string
	Full  string // more exactly; "" it is exact
	Bar   string // how long a bar is, of all there is: a percentage; "" none
	Heat  int    // colour of the bar
	Class string
}

func text(s string) cell { return cell{Text: s} }

// bar is a cell with a bar as long as a share.
func bar(s string, share float64, heat int) cell {
	return cell{Text: s, Bar: fmt.Sprintf("%.1f%%", 100*min(max(share, 0), 1)), Heat: heat}
}

// nameOf is the name of an API in a table.
func nameOf(a *fleet.API) name {
	return nameOfMarker(a.ID, a.Name, a.Package, a.Kind)
}

func nameOfMarker(id registry.ID, full, path, kind string) name {
	in, own := function(full, path)
	n := name{Path: cut(report.Printable(in), 120), Text: cut(report.Printable(own), 160), Href: Path(id)}
	if kind != "func" {
		n.Label = kind
	}
	if n.Text == "" {
		n.Text = "(without a name)"
	}
	return n
}

// apis is a table of APIs with how much each is called and what that takes.
func apis(caption string, list []fleet.API) table {
	t := table{Caption: caption, Wide: true, Head: []string{"API", "Calls", "Mean", "Total", "Longest"}}
	most := 0.0
	for i := range list {
		most = max(most, list[i].TotalNS.Float64())
	}
	for i := range list {
		a := &list[i]
		total, mean := a.TotalNS.Float64(), none
		spent := cell{Text: none}
		longest := text(none)
		if total > 0 || a.MaxNS > 0 {
			mean = units.Duration(a.MeanNS)
			spent = bar(units.Duration(total), total/max(1, most), heatOf(total/max(1, most)))
			longest = text(units.Duration(float64(a.MaxNS)))
		}
		t.Rows = append(t.Rows, row{nameOf(a), []cell{text(units.Count(a.Count)), text(mean), spent, longest}})
	}
	return t
}
