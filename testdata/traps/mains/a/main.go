// Command a is one of several commands of a module.
package main

import (
	"fmt"

	"example.com/traps/traps/mains/shared"
)

func main() { fmt.Println("a", shared.Twice(2)) }
