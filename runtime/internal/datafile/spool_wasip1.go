package datafile

// dirSize returns 0: the size is unknown on this system.
func dirSize(dir string) uint64 { return 0 }
