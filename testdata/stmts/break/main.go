// Command break leaves loops, switches and selects by break, plain and labelled.
package main

import "fmt"

// want func=1 for#1=3 if#1.then=1 for#2=3 for#3=3 if#2.then=3
func plain() (n int) {
	for {
		n++
		if n == 3 {
			break
		}
	}
	for range 3 {
		for {
			break
		}
		if n > 0 {
			n++
		}
	}
	return n
}

// want func=1 for#1=1 for#2=1 for#3=2 if#1.then=1 switch#1.case#1=1
func outOfThree() (n int) {
a:
	for {
	b:
		for {
			for {
				n++
				if n == 2 {
					break b
				}
			}
		}
		switch {
		case n == 2:
			break a
		}
	}
	return n
}

// want func=1 switch#1.case#1=1 if#1.then=1 select#1.case#1=1
func notLoops() (n int) {
s:
	switch {
	default:
		n = 1
		if n == 1 {
			break s
		}
		n = 2
	}
	select {
	default:
		n += 10
		break
	}
	return n
}

func main() {
	fmt.Println(plain(), outOfThree(), notLoops())
}
