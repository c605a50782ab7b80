package rewrite

import "testing"

// An init function, and a func main that its package does not mention again, run once; no other
// function is known to.
func TestOnce(t *testing.T) {
	const loop = "{\n\tfor range 3 {\n\t\tprintln()\n\t}\n}\n"
	for _, tt := range []struct {
		name, src string
		tested    bool
		want      string
	}{
		{"init", "package p\n\nfunc init() " + loop, false, "i"},
		{"init in a build for tests", "package p\n\nfunc init() " + loop, true, "i"},
		{"main", "package main\n\nfunc main() " + loop, false, "m"},
		{"main in a build for tests", "package main\n\nfunc main() " + loop, true, ""},
		{"main that is called", "package main\n\nfunc main() " + loop + "\nfunc f() { main() }\n", false, ""},
		{"main that is a value", "package main\n\nvar f = main\n\nfunc main() " + loop, false, ""},
		{"main of a package of another name", "package p\n\nfunc main() " + loop, false, ""},
		{"methods", "package p\n\ntype t int\n\nfunc (t) init() " + loop, false, ""},
		{"a literal in init", "package p\n\nvar f func()\n\nfunc init() { f = func() " + loop + "}\n", false, ""},
		{"another", "package p\n\nfunc f() " + loop, false, ""},
	} {
		u, err := Load("example.com/p", []Source{{Name: "p.go", Text: []byte(tt.src)}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{All: true, Inline: true, Tested: tt.tested}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		loops := 0
		for _, p := range u.Points {
			if p.Kind != "loop" {
				continue
			}
			loops++
			if p.once != tt.want {
				t.Errorf("%s: the flag of %s is %q, want %q", tt.name, p.Name, p.once, tt.want)
			}
		}
		if loops != 1 {
			t.Errorf("%s: %d loops", tt.name, loops)
		}
	}
}
