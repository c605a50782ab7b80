// Command branches has branches after code that nothing can come of, and after code that may panic. Run
// with its counters, it hands them to dump.
package main

import (
	"math"
	"runtime"
	"sync"
	"unicode/utf8"
)

var dump func()

var total int

func class(c byte) int {
	if c == '"' {
		return 1
	}
	if '0' <= c && c <= '9' {
		return 2
	}
	if c >= utf8.RuneSelf || int(c) < total%2 {
		total++
		return 3
	}
	return 4
}

func chain(n int) (s int) {
	for i := 0; i < n; i++ {
		m := i & 7
		if m == 0 {
			s++
		} else if m < 3 {
			s += 2
			if m > 1 {
				continue
			}
			s--
		} else if even := m%2 == 0; even {
			if s > 100 {
				break
			}
		} else {
			s -= 1
		}
		if s < 0 {
			s = -s
		}
		if s > math.MaxInt8 {
			goto out
		}
		total += s
	}
out:
	return s
}

func word(n int) string {
	switch n {
	case 0:
		return "none"
	case 1, 2:
		return "few"
	}
	switch {
	case n < 0:
		n = -n
	case n > 1000:
		for {
			if n--; n == 1000 {
				break
			}
		}
	default:
		if n == 5 {
			break
		}
		n++
	}
	switch n {
	case 3:
		n++
		fallthrough
	case 4:
		return "some"
	case 7:
		if total > 0 {
			break
		}
		return "seven"
	}
	return "many"
}

func again(n int) int {
	if n > 3 {
		n /= 2
		goto here
	}
	if n < 0 {
		return 0
	}
here:
	if n > 3 {
		return again(n - 1)
	}
	n += 0
back:
	if n > 0 {
		n--
		goto back
	}
	return n
}

// Each of these may panic between two blocks.

func index(list []int, i int) int {
	n := list[i]
	if n == 1 {
		return 1
	}
	return 2
}

func same(a, b any) bool {
	if a == b {
		return true
	}
	return false
}

func over(a, b int) bool {
	if a/b > 1 {
		return true
	}
	return false
}

func shift(a, b int) bool {
	if a<<b > 1 {
		return true
	}
	return false
}

func field(p *struct{ n int }) bool {
	if p.n > 1 {
		return true
	}
	return false
}

func shadowed(n int) bool {
	cap := func(n int) int {
		if n == 2 {
			panic("two")
		}
		return n
	}
	if cap(n) > 1 {
		return true
	}
	return false
}

func leave(n int) int {
	if n == 0 {
		runtime.Goexit()
	}
	if n == 1 {
		panic(n)
	}
	return n
}

func try(f func()) {
	defer func() { recover() }()
	f()
}

func main() {
	for c := range 256 {
		class(byte(c))
	}
	for n := range 60 {
		chain(n)
		word(n - 5)
		again(n % 9)
	}
	word(2000)
	for i := range 5 {
		try(func() { index([]int{1, 2, 3}, i) })
		try(func() { same(i%2, 1) })
		try(func() { same([]int{i}, []int{i}) })
		try(func() { over(i, i%3) })
		try(func() { shift(i, i-2) })
		try(func() { field(nil) })
		try(func() { field(&struct{ n int }{i}) })
		try(func() { shadowed(i) })
		var wait sync.WaitGroup
		wait.Go(func() { try(func() { leave(i) }) })
		wait.Wait()
	}
	dump()
}
