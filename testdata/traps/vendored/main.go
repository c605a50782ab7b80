// Command vendored uses a dependency that exists only in its vendor folder.
package main

import (
	"fmt"

	"example.com/dep"
	"example.com/dep/sub"
)

func main() {
	for i := range 3 {
		fmt.Println(dep.Double(i), sub.Name(i))
	}
}
