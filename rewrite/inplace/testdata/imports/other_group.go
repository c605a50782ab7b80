package m

import (
	"fmt"

	"example.com/m/other"
)

func otherGroup() {
	fmt.Println()
	other.F()
}
