//go:build linux || darwin

package platform

// programName returns the part of path after the last slash, without the suffix of the marked
// program of a dual build, which is the same application as the plain one.
func programName(path string) string {
	const marked = ".marked"
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			path = path[i+1:]
			break
		}
	}
	if n := len(path) - len(marked); n > 0 && path[n:] == marked {
		path = path[:n]
	}
	return path
}
