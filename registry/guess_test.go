package registry

import (
	"slices"
	"testing"
)

// Files with exclusive build constraints may declare the same function: if nothing changed, there
// are no guesses.
func TestGuessesInFilesThatExcludeEachOther(t *testing.T) {
	var points []Point
	for _, file := range []string{"p_linux.go", "p_windows.go", "p_plan9.go"} {
		for _, p := range []Point{fun("F", 1), loop("F", 1, "for {", 2), loop("F", 2, "for {", 2), loop("F", 3, "for {", 3)} {
			p.File = file
			points = append(points, p)
		}
	}
	_, reg := new(Registry).Assign(p, points)
	ids, _ := reg.Assign(p, points)
	if guesses := reg.Baseline().Guesses(points, ids); slices.Contains(guesses, true) {
		t.Errorf("guesses: %v", guesses)
	}
}

// New markers, and markers that were retired, are not guesses.
func TestGuessesOfNothing(t *testing.T) {
	_, reg := new(Registry).Assign(p, []Point{fun("F", 1), loop("F", 1, "for {", 2)})
	_, reg = reg.Assign(p, []Point{fun("F", 1)})
	points := []Point{fun("F", 1), loop("F", 1, "for {", 2), loop("F", 2, "for {", 3), fun("G", 4)}
	ids, _ := reg.Assign(p, points)
	if guesses := reg.Baseline().Guesses(points, ids); slices.Contains(guesses, true) {
		t.Errorf("guesses: %v", guesses)
	}
}
