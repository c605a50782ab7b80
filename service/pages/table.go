package pages

import (
	"fmt"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/units"
)

// A table is a table as all pages show it: with a caption and row names. On narrow screens its
// cells are stacked.
type table struct {
	Caption string
	Head    []string // head of the column of names, then those of the cells
	Rows    []row
	Note    string // remark; "" if none
	Wide    bool   // names are long, and get their own line on any screen
}

type row struct {
	Name  name
	Cells []cell
}

// A name is the name of a row.
type name struct {
	Path  string // shown before Text, less prominent; "" if none
	Text  string
	Href  string
	Label string // shown beside it; "" if none
}

type cell struct {
	Text  string
	Href  string
	Full  string // exact value or explanation; "" if none
	Bar   string // length of a bar, in percent of the cell; "" if none
	Heat  int    // colour of the bar
	Class string
}

func text(s string) cell { return cell{Text: s} }

// bar returns a cell with a bar whose length is a share in [0, 1].
func bar(s string, share float64, heat int) cell {
	return cell{Text: s, Bar: fmt.Sprintf("%.1f%%", 100*min(max(share, 0), 1)), Heat: heat}
}

// nameOf returns the row name of an API.
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

// apis returns a table of APIs with numbers and times of calls.
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
