// Command goimports formats files as goimports -w does. It is a program of its own since package imports, in a test,
// makes a directory in the one for temporary files.
package main

import (
	"log"
	"os"

	"golang.org/x/tools/imports"
)

func main() {
	for _, name := range os.Args[1:] {
		text, err := imports.Process(name, nil, nil)
		if err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
