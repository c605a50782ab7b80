// Package spelling suggests corrections for mistyped names.
//
//	if near := spelling.Nearest("biuld", commands); near != "" {
package spelling

// Nearest returns the name most similar to word, or "" if none is similar enough for a typing
// error.
func Nearest(word string, names []string) string {
	best, least := "", 1+min(2, len(word)/2)
	for _, name := range names {
		if d := Distance(word, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// Distance returns the number of letters to insert, delete, change or swap with their neighbour to
// get from a to b (optimal string alignment distance).
func Distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
