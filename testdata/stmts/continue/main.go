// Command continue goes on with the next scope, of the loop at hand and of outer ones.
package main

import "fmt"

// want func=1 for#1=5 if#1.then=3
func plain() (n int) {
	for i := range 5 {
		if i%2 == 0 {
			continue
		}
		n += i
	}
	return n
}

// want func=1 for#1=3 for#2=6 switch#1.case#1=3 switch#1.case#2=3
func labelled() (s string) {
next:
	for i := range 3 {
		for j := range 5 {
			switch {
			case j == 1:
				continue next
			default:
				s += fmt.Sprint(i, j, " ")
			}
		}
		s += "never"
	}
	return s
}

// want func=1 for#1=4 select#1.case#1=4 for#2=4
func last() (n int) {
	for n < 4 {
		select {
		default:
			for {
				n++
				break
			}
			continue
		}
	}
	return n
}

// want func=1 for#1=3 func#1=3 func#1:for#1=6 func#1:if#1.then=0
func overFunc() (n int) {
	f := func(yield func(int) bool) {
		for i := range 2 {
			n += i
			if i > 5 {
				yield(i)
			}
		}
	}
	for range 3 {
		f(nil)
		continue
	}
	return n
}

func main() {
	fmt.Println(plain(), labelled(), last(), overFunc())
}
