// Command switch_init uses variables of a switch head in its cases, and cases with effects: they must
// be evaluated in order and only as far as needed.
package main

import "fmt"

var order []string

func val(name string, n int) int {
	order = append(order, name)
	return n
}

func flush() {
	fmt.Println(order)
	order = order[:0]
}

func main() {
	switch x := val("init", 3); x {
	case val("a", 1), val("b", 2):
		fmt.Println("ab", x)
	case val("c", 3), val("d", 3):
		x := x * 2
		fmt.Println("cd", x)
	case val("e", 3):
	}
	flush()
	switch x, y := val("x", 1), val("y", 2); {
	case x > y:
		fmt.Println("more")
	case y > x && val("z", 0) == 0:
		x, y = y, x
		fmt.Println("swapped", x, y)
	default:
	}
	flush()
	switch val("tag", 9) {
	default:
		fmt.Println("default first")
	case val("f", 8):
	case val("g", 7):
	}
	flush()
	switch f := func() int { return val("in literal", 5) }; f() {
	case 4:
	case 5:
		fmt.Println("literal", f())
	}
	flush()
	switch x := any(val("type", 6)).(type) {
	case int, string:
		fmt.Printf("%T %v\n", x, x)
	}
	switch x := val("twice", 1); y := any(x).(type) {
	case int:
		fmt.Println(x + y)
	}
	flush()
	switch true {
	case false:
	case func() bool { return val("case literal", 1) == 1 }():
		fmt.Println("case literal")
	}
	flush()
}
