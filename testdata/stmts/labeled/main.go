// Command labeled has labels on statements of every kind, some of which nothing jumps to but a break.
package main

import "fmt"

// want func=1 for#1=2 if#1.then=2 switch#1.case#1=1 select#1.case#1=1 for#2=2 switch#2.case#1=1
func kinds() (n int) {
	goto call
call:
	n = len(fmt.Sprint(n))
	goto loop
loop:
	for range 2 {
		if n > 0 {
			continue loop
		}
	}
	goto sw
sw:
	switch {
	default:
		break sw
	}
	goto sel
sel:
	select {
	default:
		break sel
	}
	goto rng
rng:
	for i := range []int{1, 2, 3} {
		n += i
		switch i {
		case 1:
			break rng
		}
	}
	return n
}

// want func=1 if#1.then=2 if#2.then=1
func branch() (n int) {
again:
	if n < 2 {
		n++
		goto again
	}
	goto last
last:
	if n == 2 {
		n = 20
	}
	return n
}

func main() { fmt.Println(kinds(), branch()) }
