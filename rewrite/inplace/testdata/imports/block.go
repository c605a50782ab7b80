package m

import (
	"fmt" // formatted
	"os"  // for its arguments
)

func block() {
	if len(os.Args) > 1 {
		fmt.Println()
	}
}
