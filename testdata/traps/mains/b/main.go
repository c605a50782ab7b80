// Command b is another.
package main

import (
	"fmt"
	"os"

	"example.com/traps/traps/mains/shared"
)

func main() {
	for i := range 2 {
		fmt.Println("b", shared.Twice(i))
	}
	os.Exit(2)
}
