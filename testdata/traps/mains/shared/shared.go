// Package shared is used by both commands.
package shared

// Twice returns twice n.
func Twice(n int) int {
	if n > 0 {
		return n + n
	}
	return 0
}
