package registry

import "strings"

// Assign returns the ID of each point, ids[i] that of points[i], and the registry as it stands with these points.
// points are all the points of packages, in the files for all platforms: an entry of these packages that has no point
// any more is retired, and only such entries give their ID to a point elsewhere. Entries of other packages stay as they
// are. r is not changed, and the order of packages and points does not matter.
//
// Files that exclude each other may declare the same function. In any one build there is only one of them, and its
// markers have the IDs that it alone would have; so the points get their IDs in layers, each with no more than one
// file for a function, from the registry that has them all.
//
// Where two points would be told apart by nothing, not even by name and file, it is undefined which of the two gets
// which of their two IDs.
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

// layers numbers the points so that those of one function in different files have different numbers, which are below
// count. Any number of init functions and blank ones may be in one build.
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
