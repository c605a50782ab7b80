package m

// #include <stdlib.h>
import "C"
import "fmt"

func oneBelowC() {
	C.free(nil)
	fmt.Println()
}
