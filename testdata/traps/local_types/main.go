// Command local_types declares types, constants and functions' variables inside functions and compares
// them between calls: a body that exists twice has them twice.
package main

import (
	"fmt"
	"reflect"
)

func local(n int) any {
	type pair struct{ a, b int }
	if n > 0 {
		type pair struct{ c string }
		return pair{"x"}
	}
	return pair{n, n}
}

func loop() (vs []any) {
	for i := range 3 {
		type step int
		const size = 10
		vs = append(vs, step(i*size))
	}
	return vs
}

func methods() fmt.Stringer {
	type embeds struct{ fmt.Stringer }
	return embeds{reflect.ValueOf(1)}
}

func literal() any {
	return func() any {
		type inner struct{}
		return inner{}
	}()
}

func recursive(n int) any {
	type tree struct {
		l, r *tree
		n    int
	}
	var build func(int) *tree
	build = func(n int) *tree {
		if n == 0 {
			return nil
		}
		return &tree{build(n - 1), build(n - 1), n}
	}
	return *build(n)
}

func generic[T any]() any {
	type box struct{ v T }
	return box{}
}

func consts() int {
	const (
		a = iota
		b
		c
	)
	switch x := b; x {
	case a:
	case b:
		const c = 20
		return c
	}
	return c
}

func main() {
	fmt.Println(local(0) == local(0), local(1) == local(1), local(0) == local(1))
	fmt.Printf("%T %T %v\n", local(0), local(1), reflect.TypeOf(local(0)) == reflect.TypeOf(local(1)))
	vs := loop()
	fmt.Println(vs, vs[0] == vs[1], reflect.TypeOf(vs[0]) == reflect.TypeOf(vs[2]), vs[1] == loop()[1])
	fmt.Println(methods(), reflect.TypeOf(methods()) == reflect.TypeOf(methods()))
	fmt.Println(literal() == literal(), generic[int]() == generic[int](), generic[int]() == generic[bool]())
	fmt.Printf("%T %d\n", recursive(2), consts())
}
