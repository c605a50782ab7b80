// Command marked already has directives of every kind.
package main

import "fmt"

type store struct{ m map[string]int }

//perf:mark fill size=len(keys)
func (s *store) fill(keys []string) {
	//perf:mark each
	for i, k := range keys {
		//perf:mark sample=1:2
		if i%2 == 0 {
			s.m[k] = i
		} else {
			//perf:point odd
			s.m[k] = -i
		}
	}
}

//perf:skip
func (s *store) skipped(k string) int {
	for range 3 {
		if v, ok := s.m[k]; ok {
			return v
		}
	}
	return 0
}

//perf:mark count
func classify(n int) string {
	//perf:mark kinds group=g
	switch {
	//perf:mark negative
	case n < 0:
		return "negative"
	case n == 0:
		fallthrough
	default:
		//perf:mark
		{
			n++
		}
	}
	//perf:begin tail
	s := fmt.Sprint("other ", n)
	for range n {
		s += "."
	}
	//perf:end tail
	return s
}

func selects(c chan int) (n int) {
	//perf:mark wait
	select {
	case v := <-c:
		n = v
	default:
		n = -1
	}
	return
}

func main() {
	s := &store{map[string]int{}}
	//perf:begin whole
	s.fill([]string{"a", "b", "c"})
	fmt.Println(s.m, s.skipped("b"))
	//perf:end whole
	for n := range 3 {
		fmt.Println(classify(n-1), n)
	}
	c := make(chan int, 1)
	fmt.Println(selects(c))
	c <- 4
	fmt.Println(selects(c))
	//perf:mark named
	f := func() int { return 1 }
	//perf:pause
	fmt.Println(f())
	//perf:resume
}
