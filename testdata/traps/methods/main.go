// Command methods calls through values, expressions, embedding, interfaces and cycles of functions that
// refer to themselves.
package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type animal interface{ sound() string }

type base struct{ name string }

func (b base) sound() string    { return b.name + " sounds" }
func (b *base) rename(n string) { b.name = n }
func (b *base) self() *base     { return b }

type dog struct {
	*base
	tricks []string
}

func (d dog) sound() string {
	if len(d.tricks) == 0 {
		return d.base.sound()
	}
	return d.base.sound() + " and " + strings.Join(d.tricks, ",")
}

type byLen []string

func (s byLen) Len() int           { return len(s) }
func (s byLen) Less(i, j int) bool { return len(s[i]) < len(s[j]) }
func (s byLen) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }

type fn func(int) int

func (f fn) twice(n int) int { return f(f(n)) }

type nested struct{ err error }

func (n nested) Error() string { return "nested: " + n.err.Error() }
func (n nested) Unwrap() error { return n.err }
func (n nested) Is(t error) bool {
	_, ok := t.(nested)
	return ok
}

type even func(int) bool

func isEven(n int) bool {
	if n == 0 {
		return true
	}
	return isOdd(n - 1)
}

func isOdd(n int) bool {
	if n == 0 {
		return false
	}
	return isEven(n - 1)
}

type formatter struct{ n int }

func (f formatter) Format(s fmt.State, verb rune) {
	switch verb {
	case 'v', 'd':
		for range f.n {
			fmt.Fprint(s, "*")
		}
	default:
		fmt.Fprintf(s, "%%!%c", verb)
	}
}

type (
	number     int
	number_big int
)

func (f formatter) String() string { panic("not used") }

// upTo, number_upTo and others have names that are alike but for a point and a bar.
func (n number) upTo(most int) int {
	sum := 0
	for i := int(n); i < most; i++ {
		sum += i
	}
	return sum
}

func number_upTo(most int) int {
	sum := 1
	for i := 0; i < most; i++ {
		sum += i
	}
	return sum
}

func (n number) big_upTo(most int) int {
	sum := 2
	for i := int(n); i < most; i++ {
		sum += i
	}
	return sum
}

func (n number_big) upTo(most int) int {
	sum := 3
	for i := int(n); i < most; i++ {
		sum += i
	}
	return sum
}

func main() {
	fmt.Println(number(1).upTo(4), number_upTo(4), number(1).big_upTo(4), number_big(1).upTo(4))
	d := dog{&base{"rex"}, nil}
	var a animal = d
	fmt.Println(a.sound())
	d.rename("max")
	d.tricks = append(d.tricks, "sit", "roll")
	a = d
	fmt.Println(a.sound(), d.self().name, animal.sound(d), base.sound(*d.base))
	f := d.sound
	d.tricks = nil
	fmt.Println(f(), (*base).self(d.base) == d.base)
	words := byLen{"ccc", "a", "bb"}
	sort.Sort(sort.Reverse(words))
	fmt.Println(words, fn(func(n int) int { return n + 3 }).twice(1))
	err := error(nested{nested{errors.ErrUnsupported}})
	fmt.Println(errors.Is(err, errors.ErrUnsupported), errors.Is(err, nested{}), err)
	fmt.Println(even(isEven)(10), isOdd(10))
	fmt.Printf("%v %x\n", formatter{3}, formatter{1})
	var nilBase *base
	fmt.Println(nilBase.self() == nil)
}
