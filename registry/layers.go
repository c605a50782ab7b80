package registry

import "strings"

// Assign returns the ID of each point, with ids[i] for points[i], and the new registry. points must
// be all points of packages, in the files for all platforms: an entry of these packages that has no
// point is retired, and only such entries can give their ID to a point elsewhere. Entries of other
// packages are not changed. Assign does not modify r, and the order of packages and points does not
// matter.
//
// Files with exclusive build constraints may declare the same function. In any build there is only
// one of them, and its markers have the IDs that they would have without the others. So points get
// their IDs in layers, each with at most one file per function, from the registry that has them
// all.
//
// If two points are identical in all properties, including name and file, it is undefined which of
// them gets which of their two IDs.
func (r *Registry) Assign(packages []string, points []Point) ([]ID, *Registry) {
	ids, after := r.assign(packages, points)
	layer, count := layers(points)
	for n := 0; count > 1 && n < count; n++ {
		var some []Point
		var index []int
		for i, p := range points {
			if layer[i] == n {
				some, index = append(some, p), append(index, i)
			}
		}
		given, _ := after.assign(packages, some)
		for i, at := range index {
			ids[at] = given[i]
		}
	}
	return ids, after
}

// layers assigns layer numbers below count, so that points of one function in different files are
// in different layers. init functions and functions named _ may occur any number of times in a
// layer.
func layers(points []Point) (numbers []int, count int) {
	files := map[function][]string{}
	numbers = make([]int, len(points))
	for i := range points {
		p := &points[i]
		if i > 0 && p.Func == points[i-1].Func && p.File == points[i-1].File && p.Package == points[i-1].Package {
			numbers[i] = numbers[i-1]
			continue
		}
		base, _, _ := strings.Cut(p.Func, "#")
		if base == "init" || base == "_" {
			continue
		}
		f := function{p.Package, p.Func}
		n := 0
		for n < len(files[f]) && files[f][n] != p.File {
			n++
		}
		if n == len(files[f]) {
			files[f] = append(files[f], p.File)
		}
		numbers[i] = n
		count = max(count, n+1)
	}
	return numbers, count
}
