// Package p has every kind of statement that is marked.
package p

import "fmt"

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] } // swaps

func empty() {}

func onlyItself(n int) {
	fmt.Println(n)
	fmt.Println(n)
	fmt.Println(n)
	fmt.Println(n)
}

// loops has them nested.
func loops(n int) (sum int) {
outer:
	for i := range n {
		for j := 0; ; j++ {
			if j > i { // far enough
				continue outer
			}
			if sum > 100 {
				break outer // far too much
			}
			sum += j
		}
	}
	for range n {
		// nothing
	}
	return
}

func branches(x any) string {
	if x == nil {
		return "nil"
	} else if x, ok := x.(int); ok && x > 0 {
		fmt.Println("positive")
	} else {
		fmt.Println("other")
	}
	switch x := x.(type) {
	case int,
		int64:
	case string: // of text
		fmt.Println(x)
		// done

	// the rest
	default:
		panic(x)
	}
	switch {
	case x == 1:
		fmt.Println(1)
		fallthrough
	case x == 2:
	}
	return "some"
}

func selects(c, d chan int) {
	for {
		select {
		case v := <-c:
			fmt.Println(v) // one
			continue       // again
		case d <- 1:
		default:
			goto end
		}
		break
	}
end:
}

func literals() func() int {
	go func() {
		fmt.Println("go")
	}()
	apply(func(i int) int { return i }, func(i int) int {
		for range i {
			i++
		}
		return i
	})
	return func() int { x := 1; return func() int { return x }() }
}

//go:noinline
func apply(f ...func(int) int) {
	for _, f := range f {
		f(1)
	}
}

var table = map[string]func(int) bool{
	"a":   func(int) bool { return true },
	"bcd": func(i int) bool { return i > 1 }, // more
}

//go:nosplit
func low(n int) int {
	for range n {
		n++
	}
	return n
}
