// Command eval_order evaluates operands with effects, in returns, assignments, calls and deferred calls.
package main

import "fmt"

var trace []string

func v(name string, n int) int {
	trace = append(trace, name)
	return n
}

func results() (a, b int) {
	defer func() { a, b = b, a+v("deferred", 0) }()
	return v("first", 1), v("second", 2)
}

func named() (n int, err error) {
	defer func() {
		if n > 3 {
			err = fmt.Errorf("n=%d", n)
		}
	}()
	for n = range 10 {
		if n == 4 {
			return
		}
	}
	return 0, nil
}

func passed() (int, string) { return pair(v("passed", 7)) }

func pair(n int) (int, string) { return n, fmt.Sprint(n) }

func inScope() (s string) {
	for i := range 3 {
		s := s + fmt.Sprint(i)
		if s := s + "x"; i == 1 {
			return s + func() string { defer func() { s = "changed" }(); return s }()
		}
	}
	return
}

func closure() (f func() int) {
	n := 1
	defer func() { n = 100 }()
	return func() int { n++; return n }
}

func index() []int {
	xs := []int{1, 2, 3}
	i := 0
	i, xs[i] = 2, 9
	xs[v("index", 1)], i = v("value", 5), v("i", 1)
	return append(xs, i)
}

func and(a, b bool) bool {
	return v("a", 1) == 1 && a || v("b", 2) == 2 && b
}

func deferredArgs() {
	n := 1
	defer fmt.Println("deferred", n, v("arg", 2))
	n = 5
	defer func(n int) { fmt.Println("literal", n) }(n + v("arg 2", 1))
	n = 7
}

func pointer() *int {
	x := v("x", 3)
	defer func() { x++ }()
	return &x
}

func stays(m map[string]int) (n int, ok bool) {
	defer delete(m, "k")
	n, ok = m["k"]
	return n, ok
}

func shadowedResult() (err error) {
	if err := fmt.Errorf("inner"); err != nil {
		return err
	}
	return
}

func main() {
	fmt.Println(results())
	fmt.Println(named())
	fmt.Println(passed())
	fmt.Println(inScope())
	f := closure()
	fmt.Println(f(), f())
	fmt.Println(index())
	fmt.Println(and(true, true), and(false, true), and(false, false))
	deferredArgs()
	fmt.Println(*pointer())
	fmt.Println(stays(map[string]int{"k": 1}))
	fmt.Println(shadowedResult())
	fmt.Println(trace)
}
