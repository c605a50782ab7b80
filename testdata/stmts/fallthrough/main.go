// Command fallthrough goes from one case into the next: a scope through each.
package main

import "fmt"

// want func=5 switch#1.case#1=1 switch#1.case#2=2 switch#1.case#3=3 switch#1.case#4=1
func through(n int) (s string) {
	switch n {
	case 0:
		s += "0"
		fallthrough
	case 1:
		s += "1"
		fallthrough
	case 2:
		s += "2"
	case 3:
		s += "3"
	}
	return s
}

// want func=2 switch#1.case#1=1 switch#1.case#2=2 if#1.then=1
func toEnd(n int) string {
	switch n {
	case 0:
		if n == 0 {
			n = 5
		}
		fallthrough
	default:
		return fmt.Sprint(n)
	}
}

// want func=1 for#1=3 switch#1.case#1=1 switch#1.case#2=1 switch#1.case#3=3
func middle() (s string) {
	for i := range 3 {
		switch i {
		case 0:
			fallthrough
		case 9:
			s += "a"
			fallthrough
		default:
			s += "b"
		}
	}
	return s
}

func main() {
	for n := range 5 {
		fmt.Println(through(n))
	}
	fmt.Println(toEnd(0), toEnd(1), middle())
}
