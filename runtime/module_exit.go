//go:build !markgen_virtual && !markgen_off

package runtime

// atExit does nothing here: a module cannot see the process end, so marked main
// packages defer Finish.
func atExit(f func()) {}
