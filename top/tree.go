package top

import (
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
)

// treeLines returns the tree of the call paths of a span, the header first: see report.PathLines. It
// explains if there are none.
func treeLines(from, to *reading, filter string, width int) []string {
	p := *to.profile
	if p.Paths == nil {
		return []string{"no call paths are recorded: start the program with markgen run -paths, or paths in MARKGEN"}
	}
	if from != nil {
		p.Paths = p.Paths.Sub(from.profile.Paths)
		if from.profile == to.profile {
			p.Paths = new(profile.Paths)
		}
	}
	return report.PathLines(p.Only(func(name string) bool { return report.Matches(filter, name) }), width)
}

// page of the tree: the lines that fit, scrolled by m.treeTop, below the header.
func (m model) treePage() []string {
	page := make([]string, m.page()+1)
	page[0] = styled(strong, report.Begin(m.lines[0], m.width))
	for i := 1; i < len(page) && m.treeTop+i < len(m.lines); i++ {
		page[i] = report.Begin(m.lines[m.treeTop+i], m.width)
	}
	return page
}

// moveTree scrolls the tree.
func (m *model) moveTree(by int) {
	m.treeTop = max(0, min(m.treeTop+by, len(m.lines)-1-m.page()))
}
