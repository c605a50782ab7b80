// Command appends measures the allocations of slices that are appended to: the compiler lets those that are given away
// in one place grow on the stack.
package main

import (
	"fmt"
	"testing"
)

var sink any

//go:noinline
func named(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return
}

//go:noinline
func parameter(list []int, n int) []int {
	for i := range n {
		if i%2 == 0 {
			list = append(list, i)
		}
	}
	return list
}

//go:noinline
func several(n int) (list []int, err error) {
	list = append(list, 1)
	if n > 3 {
		list = append(list, 2, 3)
	}
	return list, nil
}

type numbers []int

//go:noinline
func (l numbers) with(n int) numbers {
	for i := range n {
		for range 2 {
			l = append(l, i)
		}
	}
	return l
}

//go:noinline
func twice(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	if n > 7 {
		return list
	}
	return list[:1]
}

//go:noinline
func local(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}

func main() {
	for _, f := range []struct {
		name string
		do   func()
	}{
		{"named", func() { sink = named(5) }},
		{"parameter", func() { sink = parameter(nil, 9) }},
		{"several", func() { list, _ := several(5); sink = list }},
		{"with", func() { sink = numbers(nil).with(3) }},
		{"twice", func() { sink = twice(9) }},
		{"local", func() { sink = local(9) }},
	} {
		fmt.Println(f.name, testing.AllocsPerRun(100, f.do))
	}
}
