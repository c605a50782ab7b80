//go:build darwin || openbsd

// Package first calls Become of package dual when the program starts.
package first

import "github.com/markgen/markgen/overlay/dual"

// System calls go through libc here, and syscall.Exec works only after package syscall has been
// initialised. So packages that do not need that one may be initialised before.
func init() { dual.Become() }
