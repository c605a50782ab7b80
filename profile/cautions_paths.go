package profile

import "github.com/markgen/markgen/units"

// cautions adds cautions about scopes whose path is not known in full to a list.
func (p *Paths) cautions(list []string) []string {
	if p == nil {
		return list
	}
	if n := p.Other(); n > 0 {
		list = append(list, "beyond the limit of paths, at other below the path they began on: "+units.Plural(n, "scope")+"; MARKGEN=paths=N raises it")
	}
	if p.Labels > 0 {
		list = append(list, "labelled other, as their marker had 1,000 labels: "+units.Plural(p.Labels, "scope")+"; label by something with fewer values")
	}
	if p.Lost > 0 {
		list = append(list, "on no path, as there were too many goroutines, too little memory, or none in the sample: "+units.Plural(p.Lost, "scope"))
	}
	return list
}
