// Command for passes through for loops in all their forms and leaves them in every way.
package main

import "fmt"

// want func=1 for#1=5
func threeClauses() (s int) {
	for i := 0; i < 5; i++ {
		s += i
	}
	return s
}

// want func=1 for#1=3 for#2=4 if#1.then=1
func others() int {
	n := 0
	for n < 3 {
		n++
	}
	for {
		n++
		if n == 7 {
			break
		}
	}
	return n
}

// want func=3 for#1=6 if#1.then=1
func returns(n int) int {
	for i := 0; i < n; i++ {
		if i == 3 {
			return i * 10
		}
	}
	return -1
}

// want func=1 for#1=4 if#1.then=2
func continues() (s int) {
	for i := 0; i < 4; i++ {
		if i%2 == 0 {
			continue
		}
		s += i
	}
	return s
}

// want func=1 for#1=3 for#2=6 if#1.then=1 if#2.then=1 if#3.then=1
func labelled() (s int) {
outer:
	for i := 0; ; i++ {
		for j := 0; j < 3; j++ {
			if i == 0 && j == 1 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			if i == 1 && j == 2 {
				s = 100
			}
			s++
		}
	}
	return s
}

// want func=1 for#1=3 if#1.then=2
func gotos() (n int) {
again:
	for {
		n++
		if n < 3 {
			goto again
		}
		goto out
	}
out:
	return n
}

// want func=1 for#1=0
func empty() {
	for i := 0; i < 0; i++ {
	}
}

// want func=1 for#1=2 func#1=2 func#1:for#1=6
func literals() (n int) {
	for i := 0; i < 2; i++ {
		func() {
			for j := 0; j < 3; j++ {
				n += j
			}
		}()
	}
	return n
}

func main() {
	fmt.Println(threeClauses(), others(), returns(0), returns(2), returns(9), continues(), labelled(), gotos(), literals())
	empty()
}
