// Command idioms tells how many allocations idioms make, in a package and in main: markers must not add any.
package main

import (
	"fmt"
	"iter"
	"maps"
	"testing"

	"example.com/traps/traps/idioms/lib"
)

type tree struct {
	left, right *tree
	n           int
}

func (t *tree) all() iter.Seq[int] {
	return func(yield func(int) bool) { t.push(yield) }
}

func (t *tree) push(yield func(int) bool) bool {
	return t == nil || t.left.push(yield) && yield(t.n) && t.right.push(yield)
}

func (t *tree) insert(n int) *tree {
	if t == nil {
		return &tree{n: n}
	}
	if n < t.n {
		t.left = t.left.insert(n)
	} else {
		t.right = t.right.insert(n)
	}
	return t
}

func (t *tree) odd() iter.Seq[int] {
	return filter(t.all(), func(n int) bool { return n%2 == 1 })
}

func filter(all iter.Seq[int], ok func(int) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		for n := range all {
			if ok(n) && !yield(n) {
				return
			}
		}
	}
}

func sum(all iter.Seq[int]) (s int) {
	for n := range all {
		s += n
	}
	return s
}

type set map[int]bool

func (s set) members() iter.Seq[int] { return maps.Keys(s) }

func adder(by int) func(int) int {
	return func(n int) int { return n + by }
}

// What follows has variables that the compiler allocates together, as nothing is between them.

//go:noinline
func counting(from int) func() int {
	steps := 0
	return func() int {
		steps++
		from++
		return from * steps
	}
}

//go:noinline
func source() iter.Seq[int] { return func(yield func(int) bool) { _ = yield(1) && yield(2) } }

func totalOfSource() (n int) {
	for v := range source() {
		n += v
	}
	return n
}

func scanned(n int) int {
	var k int
	set2(&n, &k)
	return n + k
}

var kept []*int

//go:noinline
func set2(n, k *int) { kept = append(kept[:0], n, k) }

func countdown(n int32) (f func() bool, left *int32) {
	var calls int64
	f = func() bool {
		calls++
		n--
		return n > 0 && calls > 0
	}
	return f, &n
}

func main() {
	for name, allocs := range lib.Idioms {
		fmt.Println(name, allocs)
	}
	var t *tree
	for _, n := range []int{5, 3, 8, 1} {
		t = t.insert(n)
	}
	chain := (*lib.Chain[int])(nil).Push(1).Push(2)
	some := set{1: true, 2: true}
	total := 0
	for _, x := range []struct {
		name string
		do   func()
	}{
		{"a tree", func() {
			for n := range t.all() {
				total += n
			}
		}},
		{"a chain", func() {
			for n := range chain.All() {
				total += n
			}
		}},
		{"odd", func() { total += sum(t.odd()) }},
		{"keys", func() { total += sum(some.members()) }},
		{"adder", func() { total += adder(3)(4) }},
		{"counting", func() { total += counting(3)() }},
		{"source", func() { total += totalOfSource() }},
		{"scanned", func() { total += scanned(3) }},
		{"countdown", func() {
			f, n := countdown(3)
			for f() {
				total += int(*n)
			}
		}},
	} {
		fmt.Println(x.name, testing.AllocsPerRun(100, x.do))
	}
}
