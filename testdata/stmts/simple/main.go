// Command simple has the statements that do not change the flow of control: declarations, expressions,
// assignments, sends, empty statements.
package main

import "fmt"

// want func=2
func all(n int) int {
	const one = 1
	type number = int
	var a, b number = one, n
	var c chan int = make(chan int, 1)
	a, b = b, a
	a++
	b--
	b <<= 2
	c <- a
	a += <-c
	_ = fmt.Sprint(a)
	{
	}
	d, _ := a|b, 0
	d &^= 1
	return d
}

// want func=1
func empty() {}

// want func=1
func comment() {
	// nothing but this
}

// want func=2 func#1=2
func literal(n int) (f func() int) {
	f = func() int { return n }
	return
}

// want func=0 for#1=0
func never() {
	for {
	}
}

func main() {
	fmt.Println(all(1), all(2))
	empty()
	comment()
	fmt.Println(literal(1)(), literal(2)())
	if len(fmt.Sprint()) > 0 {
		never()
	}
}
