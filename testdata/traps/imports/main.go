// Command imports has files with nothing to mark, with dot and blank imports, and with names that an
// added import could clash with.
package main

import . "fmt"

func main() {
	for i := range 2 {
		Println(i, helper(i), kind(i))
	}
}
