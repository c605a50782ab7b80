package platform

// WallNS returns 0: it is not needed on Plan 9.
func WallNS() uint64 { return 0 }
