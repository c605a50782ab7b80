// Command profile_guided is built with the profile that lies beside it.
package main

import "fmt"

type op interface{ do(int) int }
type inc struct{}
type dec struct{}

func (inc) do(n int) int { return n + 1 }
func (dec) do(n int) int { return n - 1 }

func run(o op, n int) int {
	for range n {
		n = o.do(n)
	}
	return n
}

func main() {
	fmt.Println(run(inc{}, 1000), run(dec{}, 1000))
}
