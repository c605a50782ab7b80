// Package dep is initialised before main.
package dep

import "fmt"

// Ready is set by the initialisation.
var Ready = prepare(3)

func prepare(n int) (s string) {
	for i := range n {
		s += fmt.Sprint(i)
	}
	fmt.Println("dep var", s)
	return s
}

func init() { fmt.Println("dep init", Ready) }
