// Package lib is another module of the workspace.
package lib

// Join joins.
func Join(ss ...string) (out string) {
	for i, s := range ss {
		if i > 0 {
			out += "-"
		}
		out += s
	}
	return out
}
