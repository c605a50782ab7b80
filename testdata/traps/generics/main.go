// Command generics has type parameters on functions, receivers and constraints, and closures, loops and
// local types inside them.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
)

type number interface {
	~int | ~int64 | ~float64
}

type stringer[T any] interface {
	*T
	String() string
}

func sum[T number](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return s
}

func toString[T any, P stringer[T]](v T) string {
	if p := P(&v); p != nil {
		return p.String()
	}
	return ""
}

type id int

func (i *id) String() string { return fmt.Sprint("id", int(*i)) }

type list[T any] struct {
	head *node[T]
	n    int
}

type node[T any] struct {
	v    T
	next *node[T]
}

func (l *list[T]) push(v T) *list[T] {
	l.head = &node[T]{v, l.head}
	l.n++
	return l
}

func (l *list[_]) len() int { return l.n }

func (l list[T]) all() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.v) {
				return
			}
			i++
		}
	}
}

type pair[K comparable, V any] struct {
	k K
	v V
}

func (p pair[K, _]) key() K { return p.k }

func mapped[T, U any](l *list[T], f func(T) (U, error)) (out list[U], err error) {
	for _, v := range l.all() {
		u, err := f(v)
		switch {
		case err != nil:
			return out, fmt.Errorf("mapped: %w", err)
		}
		out.push(u)
	}
	return out, nil
}

func maximum[S ~[]E, E cmp.Ordered](s S) (m E, ok bool) {
	if len(s) == 0 {
		return
	} else if m = s[0]; len(s) == 1 {
		return m, true
	}
	for i := range s {
		m = max(m, s[i])
	}
	return m, true
}

type tree[T interface{ less(T) bool }] struct {
	v    T
	l, r *tree[T]
}

func (t *tree[T]) add(v T) *tree[T] {
	if t == nil {
		return &tree[T]{v: v}
	}
	if v.less(t.v) {
		t.l = t.l.add(v)
	} else {
		t.r = t.r.add(v)
	}
	return t
}

func (t *tree[T]) walk(f func(T)) {
	if t != nil {
		t.l.walk(f)
		f(t.v)
		t.r.walk(f)
	}
}

type intLess int

func (a intLess) less(b intLess) bool { return a < b }

func local[T any](v T) any {
	type box struct{ v T }
	return box{v}
}

func where[T any]() string {
	f := func() string {
		pc, _, line, _ := runtime.Caller(0)
		return fmt.Sprint(runtime.FuncForPC(pc).Name(), ":", line)
	}
	return f()
}

func recursive[T any](n int, v T) string {
	if n == 0 {
		return fmt.Sprintf("%T", v)
	}
	return recursive(n-1, v)
}

func zero[T any]() (_ T) { return }

type set[T comparable] = map[T]struct{}

func keys[T cmp.Ordered](s set[T]) (n int) {
	for range s {
		n++
	}
	return
}

// newer is what needs a newer Go than the rest; nil without that.
var newer func()

func main() {
	fmt.Println(sum(1, 2, 3), sum(1.5, 2), toString[id](4))
	l := new(list[string]).push("a").push("bb").push("")
	for i, v := range l.all() {
		if i == 2 {
			break
		}
		fmt.Printf("%d %q\n", i, v)
	}
	fmt.Println(l.len(), pair[string, int]{"k", 1}.key())
	up, err := mapped(l, func(s string) (string, error) { return strings.ToUpper(s), nil })
	fmt.Println(up.len(), err)
	_, err = mapped(l, func(s string) (int, error) {
		if s == "" {
			return 0, errors.New("empty")
		}
		return len(s), nil
	})
	fmt.Println(err)
	fmt.Println(maximum([]int{3, 9, 2}))
	fmt.Println(maximum([]string(nil)))
	var t *tree[intLess]
	for _, v := range []intLess{5, 2, 8, 1} {
		t = t.add(v)
	}
	t.walk(func(v intLess) { fmt.Print(v, " ") })
	fmt.Println()
	fmt.Printf("%v %T %t\n", local(1), local("x"), local(1) == local(1))
	fmt.Println(where[int]() != "", where[string]() != "")
	fmt.Println(recursive(3, []int{}), zero[int](), keys(set[int]{1: {}}))
	if newer != nil {
		newer()
	}
}
