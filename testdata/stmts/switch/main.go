// Command switch passes through the cases of expression switches.
package main

import "fmt"

// want func=6 switch#1.case#1=1 switch#1.case#2=2 switch#1.case#3=3
func tag(n int) string {
	switch n {
	case 0:
		return "zero"
	case 1, 2:
		return "few"
	default:
	}
	return "many"
}

// want func=4 switch#1.case#1=1 switch#1.case#2=1 switch#1.case#3=0 if#1.then=1
func noDefault(n int) (s string) {
	switch m := n * n; {
	case m == 0:
		s = "none"
	case m > 5:
		if m == 9 {
			break
		}
		s = "big"
	case m < 0:
		s = "never"
	}
	return s
}

// want func=4 switch#1.case#1=3 switch#1.case#2=1
func defaultFirst(n int) int {
	switch n {
	default:
		n--
	case 2:
		return 20
	}
	return n
}

// want func=1 switch#1.case#1=1 switch#2.case#1=0 switch#2.case#2=1
func nested() (s string) {
	switch {
	case s == "":
		switch {
		case s == "x":
		case true:
			s += "inner"
		}
		s += "outer"
	}
	switch {
	}
	return s
}

// want func=1 for#1=5 switch#1.case#1=2 switch#1.case#2=1 switch#1.case#3=1 switch#1.case#4=1
func inLoop() (s string) {
l:
	for i := range 10 {
		switch {
		case i < 2:
			continue
		case i == 2:
			break
		case i == 4:
			break l
		default:
			s += fmt.Sprint(i)
			continue l
		}
		s += "after"
	}
	return s
}

func main() {
	for n := range 6 {
		fmt.Println(tag(n))
	}
	for n := range 4 {
		fmt.Println(noDefault(n), defaultFirst(n))
	}
	fmt.Println(nested(), inLoop())
}
