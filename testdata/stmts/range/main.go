// Command range passes through range loops over everything that can be ranged over.
package main

import "fmt"

// want func=1 for#1=3 for#2=2 for#3=4 for#4=2 for#5=3 for#6=5 for#7=2
func kinds() (n int) {
	for i, v := range [3]int{1, 2, 3} {
		n += i * v
	}
	for range []string{"a", "b"} {
		n++
	}
	for i, r := range "aäb€" {
		n += i + int(r)%2
	}
	for k := range map[string]int{"a": 1, "b": 2} {
		n += len(k)
	}
	c := make(chan int, 3)
	c <- 1
	c <- 2
	c <- 3
	close(c)
	for v := range c {
		n += v
	}
	for i := range 5 {
		n += i
	}
	for i := range &[2]int{} {
		n += i
	}
	return n
}

// want func=3 func#1=3 func#1:for#1=7 func#1:if#1.then=2
func upTo(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// want func=1 for#1=3 for#2=2 if#1.then=1
func overFunc() (s int) {
	for i := range upTo(3) {
		s += i
	}
	for i := range upTo(5) {
		if i == 1 {
			break
		}
		s += 10
	}
	return s
}

// want func=1 for#1=2 for#2=0 if#1.then=1
func returned() int {
	for i := range upTo(6) {
		for range i - 5 {
			panic("never")
		}
		if i == 1 {
			return i
		}
	}
	return -1
}

// want func=1 for#1=0 for#2=0
func nothing() {
	var m map[int]int
	for range m {
	}
	for range 0 {
	}
}

func main() {
	fmt.Println(kinds(), overFunc(), returned())
	nothing()
}
