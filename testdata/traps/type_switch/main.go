// Command type_switch declares a variable that some clauses use and others do not: neither may make
// the compiler complain.
package main

import (
	"errors"
	"fmt"
	"io"
)

type shape interface{ area() int }
type square int
type rect struct{ w, h int }

func (s square) area() int { return int(s * s) }
func (r *rect) area() int  { return r.w * r.h }

func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprintf("%T", v)
	case func() string:
		return v()
	case []int:
		for i, x := range v {
			if x == 0 {
				return fmt.Sprint("zero at ", i)
			}
		}
	case shape:
		switch s := v.(type) {
		case square:
			return fmt.Sprint("square ", int(s))
		default:
			return fmt.Sprint("shape ", s.area())
		}
	case interface{ Error() string }:
		if v == io.EOF {
			break
		}
		return v.Error()
	case chan<- int, <-chan int:
		_ = v
		return "one way"
	case struct{ a, b int }:
		return fmt.Sprint(v.b)
	case map[string]any:
		r := 0
		for range v {
			r++
		}
		return fmt.Sprint("map of ", r)
	}
	return "other"
}

func unused(v any) int {
	switch v.(type) {
	case int:
		return 1
	case string, error:
		return 2
	}
	return 0
}

func generic[T any](v T) string {
	switch any(v).(type) {
	case int:
		return "int"
	case T:
		return "T"
	}
	return ""
}

func main() {
	for _, v := range []any{
		nil, 1, int64(2), int8(3), func() string { return "called" }, []int{1, 0}, []int{1}, square(3), &rect{2, 3},
		io.EOF, errors.New("err"), make(<-chan int), make(chan int), struct{ a, b int }{1, 2}, map[string]any{"x": 1}, 2.5,
	} {
		fmt.Println(describe(v), unused(v))
	}
	fmt.Println(generic(1), generic("x"))
}
