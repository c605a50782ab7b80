// This program says what it is, and ends as it is told.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	executable, err := os.Executable()
	fmt.Println(os.Args[0], "runs", filepath.Base(executable), err != nil, twice(21))
	if len(os.Args) > 1 {
		panic(os.Args[1])
	}
}
