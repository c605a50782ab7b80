package m

import (
	"fmt"
	_ "unsafe"

	a "example.com/m/other"       // before ours
	z "example.com/m/other/zebra" // behind it
	// Is not used.
	_ "example.net/semver"
)

func groups() {
	a.F()
	z.F()
	fmt.Println()
}
