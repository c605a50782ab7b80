// Command generated uses generated files, which are left alone unless asked for.
package main

import "fmt"

func main() {
	for i := range 3 {
		fmt.Println(lookup(i), word(i))
	}
}
