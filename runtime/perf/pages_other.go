//go:build !markgen_off && !linux

package perf

import "unsafe"

// sharePages does nothing: the words of markers are in the program only, and
// nobody outside turns markers on and off.
func (t *table) sharePages(number uint64) {}

func (t *table) keepPages() {}

// emptyMemory does nothing: mappings are not counted.
func emptyMemory(p unsafe.Pointer, size uintptr) {}
