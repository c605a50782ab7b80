//go:build linux || darwin

package platform

// lastElement returns the part of path after the last slash.
func lastElement(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}
