// Command defer_loop defers in loops and in the bodies of range-over-func loops, where a defer belongs
// to the outer function.
package main

import (
	"fmt"
	"iter"
	"runtime"
)

func count(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer fmt.Println("iterator ends")
		for i := range n {
			if !yield(i) {
				fmt.Println("stopped at", i)
				return
			}
		}
	}
}

func pairs(n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, fmt.Sprint("v", i)) {
				return
			}
		}
	}
}

func plain() (s string) {
	for i := range 3 {
		defer func() { s += fmt.Sprint(i) }()
	}
	return "plain "
}

func overFunc() (s string) {
	for i := range count(3) {
		defer func() {
			fmt.Println("deferred", i)
			s += fmt.Sprint(i)
		}()
		fmt.Println("body", i)
	}
	fmt.Println("after loop")
	return "func "
}

func leave(how int) (s string) {
	defer func() { s += "|" }()
outer:
	for i := range count(4) {
		for j, v := range pairs(4) {
			switch {
			case how == 0 && j == 1:
				break
			case how == 1 && j == 1:
				continue outer
			case how == 2 && i == 1:
				break outer
			case how == 3 && i == 1:
				return s + "returned"
			case how == 4 && i == 1:
				goto out
			case how == 5 && j == 2:
				break outer
			default:
				s += v
			}
		}
		s += "/"
	}
	s += "end"
out:
	return s
}

func panics() (s string) {
	defer func() { s = fmt.Sprint(s, " recovered ", recover()) }()
	for i := range count(3) {
		defer func() { s += fmt.Sprint("d", i) }()
		if i == 1 {
			panic("in body")
		}
	}
	return "not reached"
}

func goexit() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer fmt.Println("goexit deferred")
		for i := range count(3) {
			defer fmt.Println("goexit in body", i)
			if i == 1 {
				runtime.Goexit()
			}
		}
		fmt.Println("not reached")
	}()
	<-done
}

func pulled() (n int) {
	next, stop := iter.Pull(count(3))
	defer stop()
	for {
		v, ok := next()
		if !ok {
			return n
		}
		n += v
	}
}

func main() {
	fmt.Println(plain())
	fmt.Println(overFunc())
	for how := range 6 {
		fmt.Println(how, leave(how))
	}
	fmt.Println(panics())
	goexit()
	fmt.Println(pulled())
}
