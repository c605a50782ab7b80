// Command if passes through the branches of if statements.
package main

import "fmt"

// want func=4 if#1.then=1 if#1.else=3
func twoWay(n int) int {
	if n == 0 {
		return 10
	} else {
		n++
	}
	return n
}

// want func=5 if#1.then=1 if#2.then=1 if#3.then=1 if#3.else=2 if#4.then=2
func chain(n int) (s string) {
	if n == 0 {
		s = "zero"
	} else if n == 1 {
		s = "one"
	} else if m := n * 2; m == 4 {
		return "two"
	} else {
		s = fmt.Sprint(m)
	}
	if len(s) == 1 {
		s += "."
	}
	return s
}

// want func=3 if#1.then=3 if#2.then=2 if#3.then=1
func nested(n int) {
	if n >= 0 {
		if n > 0 {
			if n > 1 {
				return
			}
		}
	}
}

// want func=2 if#1.then=0 if#1.else=2
func never() {
	if false {
		panic("never")
	} else {
	}
}

// want func=2 if#1.then=1 func#1=2 func#1:if#1.then=1
func literal(n int) bool {
	if f := func() bool {
		if n > 0 {
			return true
		}
		return false
	}; f() {
		return true
	}
	return false
}

func main() {
	for n := range 4 {
		fmt.Println(twoWay(n))
	}
	for n := range 5 {
		fmt.Println(chain(n))
	}
	for n := range 3 {
		nested(n)
	}
	never()
	never()
	fmt.Println(literal(0), literal(1))
}
