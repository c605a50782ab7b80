package rewrite

import (
	"strings"
	"testing"
)

// What the plain compiler may inline, and allocates if it does not, is open: a call of another package
// may be a conversion.
func TestOpenWhatAllocates(t *testing.T) {
	const text = `package p

import (
	"fmt"
	"time"
)

type pair struct{ x, y int }

func (p *pair) self() *pair { return p }

type list []byte

type named interface{ Name() string }

type times struct{ a, b, c, d time.Duration }

func conversions(a, b, c int) *times {
	return &times{time.Duration(a), time.Duration(b), time.Duration(c), time.Duration(a + b + c)}
}

func methods(d time.Duration) *pair {
	return &pair{int(d.Milliseconds() + d.Microseconds()), int(d.Nanoseconds())}
}

func slice(s string) list {
	b := list(s)
	for i := range b {
		b[i]++
	}
	return b
}

func scratch(n int) int {
	b := make([]int, n)
	for i := range b {
		b[i] = i
	}
	return b[n-1]
}

func function(n int) func() int {
	for n < 10 {
		n++
	}
	return func() int { return n }
}

func itself(n int) *pair {
	var p pair
	for i := range n {
		p.x += i
	}
	return p.self()
}

func ours(s named, n int) (k int) {
	for range n {
		k += len(s.Name())
	}
	return k
}

func theirs(s fmt.Stringer, n int) (k int) {
	for range n {
		k += len(s.String())
	}
	return k
}

func failing(err error, n int) (k int) {
	for range n {
		k += len(err.Error())
	}
	return k
}
`
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true, Inline: true}); err != nil {
		t.Fatal(err)
	}
	for _, p := range u.Points {
		if p.Kind == "func" && p.Name != "p.(*pair).self" && p.Name != "p.function:func#1" && p.Form != formOpen.String() {
			t.Errorf("%s is %s (%s)", p.Name, p.Form, p.Why)
		}
	}
}

// A function with a loop has two bodies although it returns what it makes if its calls make it
// unlikely that the compiler inlines it: calls of long functions of the unit, or several of others.
func TestTwinDespiteResult(t *testing.T) {
	const loop = " { s := string(x); for range n { n-- }; "
	long := "func long(n int) int { " + strings.Repeat("n += n*n; ", 12) + "return n }; "
	for _, tt := range []struct {
		name, src string
		form      form
	}{
		{"calls nothing", "func f(x []byte, n int) string" + loop + "return s }", formOpen},
		{"calls a short function", "func g(n int) int { return n+1 }; func f(x []byte, n int) string" + loop + "return s[g(n):g(n)] }", formOpen},
		{"calls a long function", long + "func f(x []byte, n int) string" + loop + "return s[long(n):long(n)] }", formTwin},
		{"calls another package", "func f(x []byte, n int) string" + loop + "return s[a.B(n):] }; var a other.T", formOpen},
		{"calls it three times", "func f(x []byte, n int) string" + loop + "return s[a.B(n):a.B(n):a.B(n)] }; var a other.T", formTwin},
	} {
		for _, p := range found(t, tt.src).Points {
			if p.Name == "example.com/p.f" && p.Form != tt.form.String() {
				t.Errorf("%s: %s (%s), want %s", tt.name, p.Form, p.Why, tt.form)
			}
		}
	}
}

// A small function that may call itself may be inlined into itself. A call of a method of the same
// name may be recursive unless the operand is known to have another type.
func TestRecursive(t *testing.T) {
	for _, tt := range []struct {
		src                   string
		recursive, intoItself bool
	}{
		{"func f(n int) int { return f(n-1) }", true, true},
		{"func f(n int) int { return f(n-1) + f(n-2) }", true, false},
		{"func f[T any](n T) T { return f[T](n) }", true, true},
		{"func f(n int) (s int) { func() { s = f(n - 1) }(); return }", true, true},
		{"func (x u) f() int { return x.f() }; type u int", true, true},
		{"func (x *u) f() int { y := x.next; return y.f() }; type u struct{ next *u }", true, true},
		{"func (x *u) f() int { return x.next.f() }; type u struct{ next *u }", true, true},
		{"func (x *u) f() int { return x.v.f() }; type u struct{ v *v }; type v int", false, false},
		{"func (x *u) f() int { return x.v.f() }; type u struct{ *v }; type v = u", true, true},
		{"func (x *u) f(y *v) int { return y.f() }; type u int; type v int", false, false},
		{"func (x u) f() int { return v(x).f() }; type u int; type v int", false, false},
		{"func (x u) f() int { return (*v)(&x).f() }; type u int; type v = u", true, true},
		{"func (x u) f() int { return g(x).f() }; type u int; func g(u) u", true, true},
		{"func (x u) f() int { var y v; return y.f() }; type u int; type v int", false, false},
		{"func f(n int) int { return g(n) }; func g(n int) int { return f(n) }", true, true},
		{"func f(f func()) { f() }", false, false},
		{"func f(c chan int) { select { case <-c: }; f(c) }", true, false},
	} {
		if fn := found(t, tt.src).files[0].functions[0]; fn.recursive != tt.recursive || fn.intoItself != tt.intoItself {
			t.Errorf("%s: recursive %v, into itself %v", tt.src, fn.recursive, fn.intoItself)
		}
	}
}

// A function literal that is not long is open if it may be inlined where it is called.
func TestLiterals(t *testing.T) {
	const loop = "for i := range n {\n\t\tif i > 2 {\n\t\t\tn += i\n\t\t}\n\t}\n\t"
	tooMuch := strings.Repeat("print(n)\n\t", 400)
	for _, tt := range []struct {
		name, src string
		form      form
	}{
		{"makes", "func f(n int) (p *int) {\n\tfunc() {\n\t" + loop + "p = new(int)\n\t}()\n\treturn p\n}", formOpen},
		{"makes nothing", "func f(n int) int {\n\tgo func() {\n\t" + loop + "}()\n\treturn n\n}", formTwin},
		{"in what may be inlined", "func f(n int) int {\n\tfunc() {\n\t" + loop + "}()\n\treturn n\n}", formOpen},
		{"has no loop", "func f(n int) int {\n\tfunc() {\n\th(n)\n\t}()\n\treturn n\n}", formOpen},
		{"is long", "func f(n int) (p *int) {\n\tfunc() {\n\t" + tooMuch + "p = new(int)\n\t}()\n\treturn p\n}", formTwin},
	} {
		for _, p := range found(t, tt.src).Points {
			if p.Kind == "func" && p.Name == "example.com/p.f:func#1" && p.Form != tt.form.String() {
				t.Errorf("%s: %s (%s), want %s", tt.name, p.Form, p.Why, tt.form)
			}
		}
	}
}
