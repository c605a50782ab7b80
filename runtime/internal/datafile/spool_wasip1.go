package datafile

// dirSize is not known here.
func dirSize(dir string) uint64 { return 0 }
