package rewrite

import "testing"

// A function that calls itself and nothing else, and cannot panic, has an instance; nothing sees its frames.
func TestAlone(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		form      form
	}{
		{"calls itself", "func f(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2)\n}", formInstance},
		{"not to be inlined", "//go:noinline\nfunc f(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2)\n}", formInstance},
		{"with a type parameter", "func f[T int | uint](n T) T {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2)\n}", formInstance},
		{"calls another, too", "func f(n int) int {\n\tif n < 2 {\n\t\treturn other(n)\n\t}\n\treturn f(n-1) + f(n-2)\n}\n\nfunc other(n int) int", formTwin},
		{"may divide by 0", "func f(n, m int) int {\n\tif n < 2 {\n\t\treturn n / m\n\t}\n\treturn f(n-1, m) + f(n-2, m)\n}", formTwin},
		{"gives itself what may panic", "func f(n int, s []int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn f(s[n], s) + f(n-2, s)\n}", formTwin},
		{"calls a parameter of its name", "func f(n int, f func(int) int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn f(n-1) + f(n-2) + f(n-3)\n}", formTwin},
		{"calls a variable of its name", "func f(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\tvar f func(int) int\n\treturn f(n-1) + f(n-2) + f(n-3)\n}", formTwin},
		{"a method", "type t int\n\nfunc (x t) f(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n\treturn x.f(n-1) + x.f(n-2)\n}", formTwin},
	} {
		u, err := Load("example.com/p", []Source{{Name: "p.go", Text: []byte("package p\n\n" + tt.src + "\n")}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{All: true, Inline: true}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if len(u.Points) == 0 {
			t.Errorf("%s: no points", tt.name)
		}
		for _, p := range u.Points {
			if p.Kind == "func" && p.Form != tt.form.String() {
				t.Errorf("%s: %s is %s (%s), want %s", tt.name, p.Name, p.Form, p.Why, tt.form)
			}
		}
	}
}
