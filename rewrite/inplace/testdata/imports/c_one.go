package m

// #include <stdlib.h>
import "C"

import "fmt"

func oneAndC() {
	C.free(nil)
	fmt.Println()
}
