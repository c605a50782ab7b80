// Command program goes through every statement that ends a basic block. Run with its counters, it
// hands them to dump.
package main

import "fmt"

var dump func()

var table = map[string]func(int) int{
	"double": func(n int) int { return 2 * n },
	"fact": func(n int) int {
		if n < 2 {
			return 1
		}
		f := 1
		for ; n > 1; n-- {
			f *= n
		}
		return f
	},
}

type tree struct {
	left, right *tree
	n           int
}

func (t *tree) insert(n int) *tree {
	if t == nil {
		return &tree{n: n}
	} else if n < t.n {
		t.left = t.left.insert(n)
	} else if n > t.n {
		t.right = t.right.insert(n)
	} else {
	}
	return t
}

func (t *tree) all(yield func(int) bool) bool {
	return t == nil || t.left.all(yield) && yield(t.n) && t.right.all(yield)
}

func gotos(n int) (steps int) {
again:
	steps++
	if n%2 == 0 {
		n /= 2
		goto again
	}
	if n == 1 {
		goto done
	}
	n = 3*n + 1
	goto again
done:
	steps += 0
	return steps
}

func loops() (s int) {
outer:
	for i := range 10 {
		for j := 0; ; j++ {
			switch {
			case j == i:
				continue outer
			case i*j > 20:
				break outer
			case j%2 == 0:
				s++
				fallthrough
			case false:
				s++
			default:
			}
		}
	}
inner:
	select {
	default:
		break inner
	}
	for range 3 {
	}
	return s
}

func kinds(vs ...any) (s string) {
	for _, v := range vs {
		switch v := v.(type) {
		case int, uint:
			s += "n"
		case string:
			s += v
		case nil:
		default:
			{
				s += "?"
			}
		}
	}
	return s
}

func recovers(f func()) (what any) {
	defer func() {
		if what = recover(); what != nil {
			what = fmt.Sprint(what)
		}
	}()
	f()
	return nil
}

func channels(n int) (s int) {
	c, done := make(chan int), make(chan struct{})
	go func() {
		defer close(done)
		for i := range n {
			c <- i
		}
	}()
	for {
		select {
		case i := <-c:
			s += i
		case <-done:
			return s
		}
	}
}

func dead(n int) int {
	switch n {
	case 0:
		return 0
	}
	if n > 0 {
		return 1
	} else {
		panic("negative")
	}
}

func _() {
	fmt.Println("never")
}

// gaps may end between two parts of one block, see rewrite.codePart.
func gaps(n int) (s string) {

	const (
		a = 1

		b = 2
	)
	// A comment alone.
	n = 12 / n; n++ /* of several

	lines */; n--

	s = `text

of several lines` + fmt.Sprint(
		n,

		// with a comment
		a+b)

	if n > 3 { return
	
	;
	}

again:

	n++

	if n < 10 {

		goto again
	} else

	if n > 100 {
		// nothing
	} else {

		s += "!"
		// the end
	}

	return s
}

func main() {
	fmt.Sprint(table["double"](3), table["fact"](5))
	var t *tree
	for _, n := range []int{5, 3, 8, 3, 9, 1} {
		t = t.insert(n)
	}
	sum := 0
	for n := range t.all2() {
		if sum += n; sum > 10 {
			break
		}
	}
	gotos(7)
	loops()
	kinds(1, "a", nil, 2.5, uint(1))
	recovers(func() { dead(1) })
	recovers(func() { dead(-1) })
	recovers(func() { gaps(0) })
	recovers(func() { gaps(3) })
	if f := func() bool { return channels(4) == 6 }; f() {
		sum++
	}
	switch f := func() int { return 1 }; f() {
	case 1:
	}
	for f := func() bool { sum--; return sum > 0 }; f(); {
	}
	if dump != nil {
		dump()
	}
}

func (t *tree) all2() func(func(int) bool) {
	return func(yield func(int) bool) { t.all(yield) }
}
