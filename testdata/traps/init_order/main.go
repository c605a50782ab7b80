// Command init_order initialises package variables that depend on each other across files and packages
// through marked functions: the order must stay, and functions run before main.
package main

import (
	"fmt"

	"example.com/traps/traps/init_order/dep"
)

var (
	a = say("a", b+c)
	b = f("b")
	c = say("c", 1)
)

var _ = say("blank", 0)

var d, e = both("d", "e")

func f(name string) int {
	if z > 0 {
		return say(name, z)
	}
	return 0
}

func both(x, y string) (int, int) { return say(x, len(log)), say(y, len(log)) }

var log []string

func say(name string, n int) int {
	log = append(log, name)
	fmt.Println("var", name, n)
	return n
}

func init() {
	for i := range 2 {
		fmt.Println("init main 1", i, dep.Ready)
	}
}

func init() { fmt.Println("init main 2", len(log)) }

func main() {
	fmt.Println(a, b, c, d, e, z, y(), dep.Ready, len(log))
}
