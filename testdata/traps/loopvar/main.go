// Command loopvar is written for Go 1.20, where the variables of a loop are shared by its iterations; one
// file asks for Go 1.22, where they are not.
package main

import "fmt"

func shared() (s string) {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { return i })
	}
	for _, v := range []int{7, 8, 9} {
		fs = append(fs, func() int { return v })
	}
	for _, f := range fs {
		s += fmt.Sprint(f(), " ")
	}
	return s
}

func main() {
	fmt.Println(shared())
	fmt.Println(own())
}
