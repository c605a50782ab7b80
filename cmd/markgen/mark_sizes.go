package main

import (
	"slices"

	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
)

// hasSizes reports whether a directive of the package has a size= or label=.
func (g *markedPackage) hasSizes() bool {
	return slices.ContainsFunc(g.units, func(u *markedUnit) bool {
		return slices.ContainsFunc(u.Points, func(p *rewrite.Point) bool { return p.SizeExpr != "" || p.Label != "" })
	})
}

// blank returns the source files without markers, with the positions on disk.
func (g *markedPackage) blank() map[string][]byte {
	texts := map[string][]byte{}
	for path := range g.plain {
		texts[path] = inplace.Blank(g.disk[path])
	}
	return texts
}

// addSizeTests adds the tests of a package's size= expressions.
func (m *marking) addSizeTests(g *markedPackage, tests *overlay.SizeTests) {
	units, err := m.findIn(g, g.blank())
	if err != nil {
		return
	}
	for _, u := range units {
		tests.Add(u.Unit, g.Dir)
	}
}
