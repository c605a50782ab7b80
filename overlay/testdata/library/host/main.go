// Command host calls what is in a plugin.
package main

import (
	"fmt"
	"os"
	"plugin"
)

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	greet, err := p.Lookup("Greet")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	call(greet.(func(int)))
}

func call(greet func(int)) { greet(5) }
