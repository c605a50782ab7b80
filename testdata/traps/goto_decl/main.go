// Command goto_decl jumps forwards, backwards and out of loops: no declaration may come to stand
// between a goto and its label.
package main

import "fmt"

func forward(n int) string {
	if n > 0 {
		goto positive
	}
	{
		x := n
		fmt.Println("block", x)
	}
	goto end
positive:
	for i := 0; i < n; i++ {
		if i == 2 {
			goto end
		}
		fmt.Println("loop", i)
	}
end:
	if n == 0 {
		return "zero"
	}
	return "done"
}

func backward() (trace []int) {
	i := 0
again:
	trace = append(trace, i)
	i++
	if i < 3 {
		goto again
	}
	for j := range 5 {
		for k := range 5 {
			if j*k == 6 {
				goto out
			}
			trace = append(trace, 10*j+k)
		}
	}
out:
	return
}

func inClosure() int {
	n := 0
	f := func() int {
	again:
		n++
		if n < 4 {
			goto again
		}
		return n
	}
	goto call
call:
	return f()
}

func labelLast(n int) {
	switch {
	case n > 0:
		fmt.Println("last", n)
		goto end
	default:
		fmt.Println("other", n)
	}
	return
end:
}

func intoLabelledBlock(n int) (s string) {
	if n == 1 {
		goto block
	}
	s += "a"
block:
	{
		t := "b"
		s += t
	}
	if len(s) < 5 {
		goto block
	}
	return s
}

func main() {
	for n := range 4 {
		fmt.Println(forward(n))
	}
	fmt.Println(backward())
	fmt.Println(inClosure())
	labelLast(0)
	labelLast(1)
	fmt.Println(intoLabelledBlock(0), intoLabelledBlock(1))
}
