package rewrite

import (
	"strings"
	"testing"
)

// What the plain compiler may inline, and allocates if it does not, is open: a call of another package may be a conversion.
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

// A call of a method of the same name may be recursive if the operand may have the receiver's type.
// A conversion has the type to which it converts.
func TestRecursive(t *testing.T) {
	const types = "type t []int; type u t; type also = u; type of[T any] []T; func (t) m() int; func fn(u) u"
	for src, want := range map[string]bool{
		"func (x u) m() int { return x.m() }":                                   true,
		"func (x u) m() int { return t(x).m() }":                                false,
		"func (x *u) m() int { return (*t)(x).m() }":                            false,
		"func (x *u) m() int { return (((*(t))))(x).m() }":                      false,
		"func (x *u) m() int { return of[int](*x).m() }":                        false,
		"func (x *u) m() int { return (*also)(x).m() }":                         true,
		"func (x *also) m() int { return (*u)(x).m() }":                         true,
		"func (x u) m() int { return u(x[1:]).m() }":                            true,
		"func (x u) m() int { return fn(x).m() }":                               true, // a call
		"func (x u) m() int { t := fn; return t(x).m() }":                       true,
		"func (x u) m(t func(u) u) int { return t(x).m() }":                     true,
		"func (x u) m() int { return sort.IntSlice(x).m() }; import \"sort\"":   false,
		"func (x *u) m() int { return (*big.Int)(x).m() }; import \"math/big\"": false,
		"func (x u) m() int { return slices.Clone(x).m() }; import \"slices\"":  true,
		"func (x u) m() int { return cmp.Or(x, nil).m() }; import \"cmp\"":      true,
		"func (x u) m() int { o, _ := any(x).(t); return o.m() }":               false,
		"func (x u) m() int { o, _ := any(x).(also); return o.m() }":            true,
		"func (x u) m() int { f := func(o t) int { return o.m() }; f(nil) }":    false,
		"func (x u) m() int { f := func(o u) int { return o.m() }; f(nil) }":    true,
		"func (x u) m() int { o := t(x); _ = func(o u) int { return o.m() } }":  true, // which o
	} {
		if before, after, ok := strings.Cut(src, "; import "); ok {
			src = "import " + after + "\n\n" + before
		}
		for _, fn := range found(t, src+"; "+types).files[0].functions {
			if fn.decl != nil && fn.decl.Recv != nil && fn.recursive != want {
				t.Errorf("%s: it calls itself: %v", src, fn.recursive)
			}
		}
	}
}

// Literals that the compiler inlines, or that are part of an inlined function, cost the inliner the
// same as in the plain program. Other literals test their gate once per call.
func TestLiterals(t *testing.T) {
	const loop = "for i := range n {\n\t\tif i > 2 {\n\t\t\tn += i\n\t\t}\n\t}\n\t"
	tooMuch := strings.Repeat("if n > 7 {\n\t\tprint(n)\n\t\tprint(n)\n\t}\n\t", 120)
	const calls = "g()\n\tg()\n\t" // so that the enclosing function is not inlined
	for _, tt := range []struct {
		name, src string
		form      form
	}{
		{"called at once, makes", "func f(n int) (p *int) {\n\tfunc() {\n\t" + loop + "p = new(int)\n\t}()\n\t" + calls + "return p\n}", formOpen},
		{"called at once, makes nothing", "func f(n int) int {\n\tfunc() {\n\t" + loop + "}()\n\t" + calls + "return n\n}", formTwin},
		{"its cost is a part of what is inlined", "func f(n int) int {\n\tfunc() {\n\t" + loop + "}()\n\treturn n\n}", formOpen},
		{"called by name", "func f(n int) *int {\n\tmade := func(n int) *int {\n\t" + loop + "return new(int)\n\t}\n\t" + calls + "return made(n)\n}", formOpen},
		{"deferred", "func f(n int) (p *int) {\n\tdefer func() {\n\t" + loop + "p = new(int)\n\t}()\n\treturn p\n}", formTwin},
		{"started", "func f(n int) {\n\tgo func() {\n\t" + loop + "g()\n\t}()\n}", formTwin},
		{"set again", "func f(n int) {\n\tmade := func() {\n\t" + loop + "g()\n\t}\n\tmade = nil\n\tmade()\n}", formTwin},
		{"costs too much", "func f(n int) (p *int) {\n\tfunc() {\n\t" + tooMuch + "p = new(int)\n\t}()\n\treturn p\n}", formTwin},
		{"given, makes", "func f(n int) (p *int) {\n\th(func() {\n\t" + loop + "p = new(int)\n\t})\n\treturn p\n}", formOpen},
		{"given, makes what stays in it", "func f(n int) {\n\th(func() {\n\t" + loop + "_ = new(int)\n\t})\n}", formTwin},
	} {
		u, err := Load("p", []Source{{Name: "p.go", Text: []byte("package p\n\n" + tt.src + "\n\nfunc g() {\n\tdefer g()\n}\n\nfunc h(f func()) {\n\tf()\n}\n")}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{All: true, Inline: true}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		for _, p := range u.Points {
			if p.Kind == "func" && p.Name == "p.f:func#1" && p.Form != tt.form.String() {
				t.Errorf("%s: %s (%s), want %s", tt.name, p.Form, p.Why, tt.form)
			}
		}
	}
}
