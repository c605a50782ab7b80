// Command cgo has C preambles, which must stay right above import "C", and functions that C calls.
package main

// #include <stdlib.h>
// typedef int (*fn)(int);
// static int twice(int n) { return 2 * n; }
// extern int goCallback(int);
// static int thrice(int n) {
//	int s = 0;
//	for (int i = 0; i < 3; i++) s += goCallback(n);
//	return s;
// }
// #define ANSWER 42
import "C"

import (
	"fmt"
	"unsafe"
)

//export goCallback
func goCallback(n C.int) C.int {
	if n > 5 {
		return n + 1
	}
	return n
}

func main() {
	fmt.Println(C.twice(4), C.thrice(2), C.thrice(6), int(C.ANSWER))
	s := C.CString("text")
	defer C.free(unsafe.Pointer(s))
	for i := range 2 {
		fmt.Println(i, C.GoString(s), other(i))
	}
}
