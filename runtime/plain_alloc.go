//go:build !markgen_off

package runtime

// openAlloc makes the collector alloc ready; it has no values if it cannot be.
func openAlloc() reader {
	complain("collect=alloc: the program was not built with -deep; left out")
	return reader{}
}
