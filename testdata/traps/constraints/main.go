// Command constraints has files that exclude each other and declare the same functions.
package main

import "fmt"

func main() {
	fmt.Println(platform() != "", variant(3), number(2))
}
