package registry

import "strings"

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
