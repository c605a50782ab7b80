// Command block passes through plain blocks, which are marked only where a directive asks for it.
package main

import "fmt"

// want func=2 block#1=2 if#1.then=1 block#3=1
func leave(n int) (s string) {
	//perf:mark
	{
		s = "in"
		if n == 1 {
			return s
		}
		s += " block"
	}
	{
		s += " unmarked"
	}
	//perf:mark
	{
	}
	return s
}

// want func=1 for#1=3 named=3 if#1.then=1 if#2.then=1
func inLoop() (n int) {
	for i := range 4 {
		//perf:mark named
		{
			if i == 1 {
				continue
			}
			if i == 2 {
				break
			}
			n++
		}
		n += 10
	}
	return n
}

// want func=1 block#1=2 if#1.then=1
func entered() (n int) {
again:
	//perf:mark
	{
		n++
		if n < 2 {
			goto again
		}
	}
	return n
}

func main() { fmt.Println(leave(0), leave(1), inLoop(), entered()) }
