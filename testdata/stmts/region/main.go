// Command region passes through regions and points.
package main

import "fmt"

// want func=3 head=3 tail=2 if#1.then=1 for#1=4
func parts(n int) (s string) {
	//perf:begin head
	s = fmt.Sprint(n)
	if n == 0 {
		return s
	}
	//perf:end head
	s += " "
	//perf:begin tail
	for range 2 {
		s += "."
	}
	//perf:end tail
	return s
}

// want func=1 for#1=4 each=4 if#1.then=2 kept=2
func inLoop() (n int) {
	for i := range 4 {
		//perf:begin each
		n += i
		if i%2 == 0 {
			continue
		}
		//perf:point kept
		n += 10
		//perf:end each
	}
	return n
}

// want func=1 outer=1 inner=1
func nested() (n int) {
	//perf:begin outer
	n = 1
	//perf:begin inner
	n += 2
	//perf:end inner
	n += 3
	//perf:end outer
	return n
}

func main() { fmt.Println(parts(0), parts(1), parts(2), inLoop(), nested()) }
