// A function that ends in a call of panic returns nothing there, but not if panic is another one, which may be
// so in one function and not in the next.
package main

import (
	"fmt"
	"os"
)

func ends(n int) int {
	if n < 50 {
		return n + len(os.Getenv("NOT_SET"))
	} else {
		panic(os.Getenv("NOT_SET"))
	}
}

func cases(n int) string {
	switch {
	case n > 1:
		return fmt.Sprint("more ", n)
	default:
		panic(fmt.Sprint("few ", n))
	}
}

func parameter(panic func(string) int, n int) (sum int) {
	for i := range n {
		sum += i
	}
	panic("is called")
	return
}

func both(n int) int {
	{
		panic := func(s string) { fmt.Println(s) }
		panic("of its own")
	}
	for i := 0; ; i++ {
		if i > n {
			break
		}
	}
	if n > 0 {
		return n
	}
	panic("the real one")
}

func literal() func(int) int {
	return func(n int) int {
		if n > 0 {
			return n
		}
		panic("in a literal")
	}
}

func recovered(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func main() {
	for panic := range 3 {
		fmt.Println(ends(panic), cases(panic+2), parameter(func(s string) int { return len(s) }, panic))
	}
	fmt.Println(both(2), literal()(3))
	recovered(func() { both(0) })
	recovered(func() { cases(0) })
	recovered(func() { ends(99) })
	recovered(func() { literal()(0) })
}
