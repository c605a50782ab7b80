// Command return leaves scopes by return, with operands that are evaluated inside.
package main

import "fmt"

// want func=9
func note(n int) int { return n }

// want func=2 if#1.then=1
func operands(n int) (int, int) {
	if n > 0 {
		return note(n), note(n + 1)
	}
	return note(0), note(0)
}

// want func=1 for#1=1 for#2=1 switch#1.case#1=1
func deep() int {
	for {
		for range 2 {
			switch {
			case true:
				return note(1) + note(2)
			}
		}
	}
}

// want func=3 if#1.then=1 func#1=3
func named(n int) (r int, err error) {
	defer func() { r *= 2 }()
	if r = n; n == 1 {
		err = fmt.Errorf("one")
		return
	}
	return r + note(n), nil
}

// want func=1
func passOn() (int, error) { return named(3) }

// want func=2 if#1.then=1
func nothing(n int) {
	if n == 0 {
		return
	}
	note(n)
}

// want func=4 if#1.then=1
func recursive(n int) int {
	if n == 0 {
		return 0
	}
	return n + recursive(n-1)
}

func main() {
	fmt.Println(operands(1))
	fmt.Println(operands(0))
	fmt.Println(deep())
	fmt.Println(named(1))
	fmt.Println(named(2))
	fmt.Println(passOn())
	nothing(0)
	nothing(1)
	fmt.Println(recursive(3))
}
