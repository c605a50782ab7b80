// Command app uses a module of its workspace that its go.mod does not name.
package main

import (
	"fmt"

	"example.com/lib"
)

func main() {
	fmt.Println(lib.Join("a", "b"), lib.Join())
}
