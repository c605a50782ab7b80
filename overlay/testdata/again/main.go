// Each line of input has some runs follow each other, each with a scope, and then says how many mappings the process has.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"

	perf "github.com/markgen/markgen/runtime/perf"
)

//perf:mark
func pass() {}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for n := 0; lines.Scan(); {
		for range 30 {
			if err := perf.Configure(fmt.Sprintf("file=run%d.markgen", n)); err != nil {
				fmt.Println(err)
				return
			}
			pass()
			if err := perf.Stop(); err != nil {
				fmt.Println(err)
				return
			}
			n++
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(bytes.Count(maps, []byte("\n")))
	}
}
