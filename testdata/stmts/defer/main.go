// Command defer passes through deferred functions, which run when their function has ended by whatever way.
package main

import "fmt"

// want func=3 for#1=6 func#1=6 if#1.then=1
func inLoop(n int) (s string) {
	for i := range n {
		defer func() { s += fmt.Sprint(i) }()
	}
	if n == 1 {
		return "one"
	}
	return ""
}

// want func=1 func#1=1 func#1:if#1.then=1
func changesResult() (n int) {
	defer func() {
		if n == 1 {
			n = 2
		}
	}()
	return 1
}

// want func=2
func named(s *string) { *s += "named" }

// want func=2 if#1.then=1
func deferred(n int) (s string) {
	defer named(&s)
	if n > 0 {
		return "x"
	}
	return "y"
}

// want func=1 func#1=1 func#1:func#1=1
func curried() (s string) {
	defer func() func() {
		s += "now "
		return func() { s += "later" }
	}()()
	return s + "result "
}

func main() {
	fmt.Println(inLoop(1), inLoop(2), inLoop(3), changesResult(), deferred(0), deferred(1), curried())
}
