// Command appends measures the allocations of slices that are appended to: the compiler lets those that are given away
// in one place grow on the stack.
package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
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

// These have one body, and what it appends to in a loop is declared in front of that.

var (
	lock  sync.Mutex
	table = map[string]int{"a": 1, "b": 2, "c": 3}
)

//go:noinline
func locked(want string) int {
	lock.Lock()
	defer lock.Unlock()
	var keys []string
	for k := range table {
		if strings.Contains(want, k) {
			keys = append(keys, k)
		}
	}
	for i, k := range keys {
		if k == want {
			return i
		}
	}
	return len(keys)
}

//go:noinline
func lockedList(n int) []int {
	lock.Lock()
	defer lock.Unlock()
	var list []int
	for i := range n {
		if i != 1 {
			list = append(list, i)
		}
	}
	return list
}

//go:noinline
func lockedText(s string) string {
	lock.Lock()
	defer lock.Unlock()
	var b []byte
	for i := range len(s) {
		if s[i] != ' ' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

//go:noinline
func lockedQueue(n int) (sum int) {
	lock.Lock()
	defer lock.Unlock()
	queue := []int{n}
	for len(queue) > 0 {
		n, queue = queue[0], queue[1:]
		if sum += n; n > 0 {
			queue = append(queue, n-1)
		}
	}
	return sum
}

//go:noinline
func lockedNamed(n int) (list []int) {
	lock.Lock()
	defer lock.Unlock()
	for i := range n {
		list = append(list, i)
	}
	return list
}

//go:noinline
func deferred(list []int, n int) (sum int) {
	defer func() { sum++ }()
	for i := range n {
		list = append(list, i)
	}
	for _, v := range list {
		sum += v
	}
	return sum
}

//go:noinline
func kept(list []int, n int) (sum int) {
	for i := range n {
		list = append(list, i)
	}
	for _, v := range list {
		switch {
		case v > 3:
			sum += v * len(table)
		case v > 2:
			sum += v * len(table) * 2
		default:
			sum += len(strings.Repeat("a", v))
		}
	}
	return sum
}

// These return another slice where they fail, which a call computes with it.

//go:noinline
func parse(words []string) (list []int, err error) {
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, fmt.Errorf("parse: %w", err)
		}
		list = append(list, n)
	}
	return list, nil
}

//go:noinline
func failing(n, limit int) (list []int, sum int, err error) {
	for i := range n {
		if i > limit {
			return nil,
				sum, // so far
				fmt.Errorf("%d", i)
		}
		list = append(list, i)
		sum += i
	}
	return list, sum, nil
}

func both(n int) ([]int, error) { return []int{n}, errors.New(strconv.Itoa(n)) }

func one(n int) numbers { return numbers{n} }

//go:noinline
func passing(n, limit int) (list []int, err error) {
	for i := range n {
		if i > limit {
			return both(i)
		}
		list = append(list, i)
	}
	return list, nil
}

//go:noinline
func others(n, limit int) (list numbers, k int, err error) {
	for i := range n {
		k += i
		switch {
		case i > 2*limit:
			return one(len(list)), k + len(one(i)), fmt.Errorf("%d", len(list))
		case i > limit && len(list) > 9:
			return list[:0], k, fmt.Errorf("%d", k)
		}
		list = append(list, i)
	}
	return list, k + len(strconv.Itoa(k)), nil
}

//go:noinline
func functions(n, limit int) (list []func() int, _ error) {
	for i := range n {
		if i > limit {
			return []func() int{func() int {
					for range 2 {
						n++
					}
					return n
				}}, func() error {
					for range 2 {
						n--
					}
					return errors.New(strconv.Itoa(n))
				}()
		}
		list = append(list, func() int { return i })
	}
	return list, nil
}

//go:noinline
func swapped(n, limit int) (a, b []int, k, l int) {
	for i := range n {
		if i > limit {
			return b, a, l + len(strconv.Itoa(i)), k
		}
		k, l = l+1, i
		a = append(a, i)
		b = append(b, -i)
	}
	return a, b, k, l
}

func generic[T any, S ~[]T](s S, f func(T) (T, error)) (out S, err error) {
	for _, x := range s {
		y, err := f(x)
		if err != nil {
			return nil, fmt.Errorf("generic: %w", err)
		}
		out = append(out, y)
	}
	return out, err
}

func next(i int) (int, error) {
	if i > 9 {
		return 0, errors.New(strconv.Itoa(i))
	}
	return i + 1, nil
}

func results() {
	fmt.Println(parse([]string{"1", "2"}))
	fmt.Println(parse([]string{"1", "x"}))
	for limit := range 3 {
		fmt.Println(failing(3, limit))
		fmt.Println(passing(3, limit))
		fmt.Println(others(4, limit))
		fmt.Println(swapped(3, limit))
		list, err := functions(3, limit)
		fmt.Println(len(list), list[0](), err)
	}
	fmt.Println(generic(numbers{1, 2}, next))
	fmt.Println(generic(numbers{1, 10}, next))
	fmt.Println(locked("ab"), lockedList(3), lockedText("a b"), lockedQueue(3), lockedNamed(3), deferred(nil, 3), kept([]int{1}, 3))
}

type vector [3]float64

func (v *vector) add(w *vector) *vector { return &vector{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }

type point vector

// add calls a method of its name, and not itself.
func (v *point) add(w *point) *point { return (*point)((*vector)(v).add((*vector)(w))) }

//go:noinline
func first(v, w *point) float64 { return v.add(w)[0] }

func main() {
	results()
	words := strings.Fields("1 2 3 4 5 6 7 8 9")
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
		{"locked", func() { locked("b") }},
		{"lockedList", func() { sink = lockedList(9) }},
		{"lockedText", func() { lockedText("a b c d e f g h") }},
		{"lockedQueue", func() { lockedQueue(9) }},
		{"lockedNamed", func() { sink = lockedNamed(9) }},
		{"deferred", func() { deferred(nil, 4) }},
		{"kept", func() { kept(nil, 4) }},
		{"parse", func() { list, _ := parse(words); sink = list }},
		{"failing", func() { list, _, _ := failing(9, 9); sink = list }},
		{"passing", func() { list, _ := passing(9, 9); sink = list }},
		{"others", func() { list, _, _ := others(9, 9); sink = list }},
		{"functions", func() { list, _ := functions(4, 9); sink = list }},
		{"swapped", func() { list, other, _, _ := swapped(4, 9); sink = list; sink = other }},
		{"first", func() { first(&point{1}, &point{2}) }},
		{"generic", func() { list, _ := generic(numbers{1, 2, 3, 4, 5, 6, 7}, next); sink = list }},
	} {
		fmt.Println(f.name, testing.AllocsPerRun(100, f.do))
	}
}
