// Command goto_block reaches blocks by goto, past the place where a counter or the entry of a scope
// stands, and leaves scopes by goto; what is deferred and returned must be as without markers.
package main

import "fmt"

func machine(in string) (out []string) {
	i := 0
start:
	if i == len(in) {
		goto end
	}
	switch in[i] {
	case 'a':
		goto a
	case 'b':
		goto b
	default:
		for {
			i++
			if i == len(in) || in[i] != 'x' {
				goto start
			}
			out = append(out, "x")
		}
	}
a:
	out = append(out, "A")
	i++
	goto start
b:
	for j := 0; ; j++ {
		if j > 2 {
			i++
			goto start
		}
		func() {
			defer func() { out = append(out, fmt.Sprint("b", j)) }()
		}()
	}
end:
	out = append(out, "end")
	return out
}

func outOfSelect() (n int) {
	c := make(chan int, 5)
	for i := range 5 {
		c <- i
	}
next:
	select {
	case v := <-c:
		n += v
		if n > 5 {
			goto done
		}
		goto next
	default:
		n = -1
	}
done:
	return n
}

func withDefer() (s string) {
	n := 0
retry:
	defer func() { s += fmt.Sprint(n) }()
	n++
	if n < 3 {
		goto retry
	}
	return "r"
}

func samePlace(n int) string {
	{
		goto in
	in:
		n++
		if n < 5 {
			goto in
		}
	}
	if true {
		goto in2
	in2:
		n++
	}
	return fmt.Sprint(n)
}

func main() {
	fmt.Println(machine("abxxxa?b"))
	fmt.Println(outOfSelect())
	fmt.Println(withDefer())
	fmt.Println(samePlace(0))
}
