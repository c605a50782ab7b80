package m

/*
#include <stdlib.h>
*/
import "C"

import (
	"fmt"
	"os"
)

func blockAndC() {
	C.free(nil)
	fmt.Println(os.Args)
}
