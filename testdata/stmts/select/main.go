// Command select passes through the cases of select statements.
package main

import "fmt"

// want func=3 select#1.case#1=1 select#1.case#2=2
func receive(c chan int) int {
	select {
	case v := <-c:
		return v
	default:
		return -1
	}
}

// want func=1 for#1=3 for#2=7 select#1.case#1=3 select#1.case#2=4 if#1.then=3
func both() (n int) {
	in, out := make(chan int, 3), make(chan int)
	close(out)
	for i := range 3 {
		in <- i
	}
loop:
	for {
		select {
		case v := <-in:
			n += v
			continue
		default:
			n += 10
			if n < 40 {
				break
			}
			break loop
		}
		n++
	}
	<-out
	return n
}

// want func=2 select#1.case#1=1 select#1.case#2=1
func send(c chan<- string) string {
	select {
	case c <- "x":
	default:
		goto full
	}
	return "sent"
full:
	return "full"
}

// want func=1 select#1.case#1=1 select#1.case#2=0
func none() (ok bool) {
	c := make(chan int)
	close(c)
	select {
	case _, ok = <-c:
	case c := <-(chan int)(nil):
		panic(c)
	}
	return
}

func main() {
	c := make(chan int, 1)
	fmt.Println(receive(c))
	c <- 3
	fmt.Println(receive(c), receive(c))
	fmt.Println(both())
	s := make(chan string, 1)
	fmt.Println(send(s), send(s), none())
}
