// Command blank_func has functions, methods, receivers, parameters and results without a name, and
// more than one init.
package main

import "fmt"

type t struct{ n int }

func _() { fmt.Println("never") }

func _() int {
	for {
	}
}

func (t) _()           {}
func (*t) _(_ int)     {}
func (t) unnamed() int { return 1 }
func (*t) pointer() (int, string) {
	return 2, "two"
}
func (_ t) blank(_ int, _ ...string) (_ int, _ error) {
	return 3, nil
}
func (self *t) named() (_ int, err error) {
	defer func() { err = fmt.Errorf("n=%d", self.n) }()
	return self.n, nil
}

func mixed(_ int, a, _ string) (b string, _ int) {
	b = a
	for range a {
		b += "."
	}
	return b, len(b)
}

func bare() (a, _ int) {
	a = 4
	if a > 3 {
		return
	}
	return 1, 2
}

func onlyTypes(int, string) (int, bool) { return 5, true }

func variadic(...int) {}

var _ = func(int) int { return 0 }

func init() { fmt.Println("init 1") }
func init() { fmt.Println("init 2") }
func init() {}

type empty interface{}

type iface interface{ unnamed() int }

func main() {
	v := &t{7}
	fmt.Println(v.unnamed())
	fmt.Println(v.pointer())
	fmt.Println(v.blank(0))
	fmt.Println(v.named())
	fmt.Println(mixed(1, "ab", ""))
	fmt.Println(bare())
	fmt.Println(onlyTypes(1, ""))
	variadic()
	var i iface = v
	fmt.Println(i.unnamed(), t.unnamed(*v), func() int { n, _ := (*t).named(v); return n }())
}
