package m

// #include <stdlib.h>
import "C"

func onlyC() {
	C.free(nil)
}
