// Command assembly has functions without a body, in assembly and by linkname, beside marked ones.
package main

import (
	"fmt"
	_ "unsafe"
)

//go:noescape
func add(a, b int) int

//go:linkname fastrand runtime.cheaprand
func fastrand() uint32

// called is called from assembly, so it must keep its ABI and its frame.
func called(n int) int {
	if n > 2 {
		return 10 * n
	}
	return n
}

func callBack(n int) int

func main() {
	fmt.Println(add(2, 3), callBack(2), callBack(3))
	for range 100 {
		if n := fastrand(); n != 0 {
			fmt.Println("random")
			break
		}
	}
}
