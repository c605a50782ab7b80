package m

import "fmt"

// #include <stdlib.h>
import "C"

func oneAboveC() {
	C.free(nil)
	fmt.Println()
}
