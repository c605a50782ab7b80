//go:build !markgen_off && !linux

package runtime

// sharePages does nothing: the words of markers are in the program only, and
// nobody outside turns markers on and off.
func (t *table) sharePages(number uint64) {}

func (t *table) keepPages() {}
