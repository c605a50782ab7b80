// Package dep is vendored.
package dep

// Double returns twice n.
func Double(n int) int {
	if n == 0 {
		return 0
	}
	return 2 * n
}
