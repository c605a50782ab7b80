package registry_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	_ "github.com/markgen/markgen/golden" // defines the flag -update
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
)

// lexer is the source that the edits start from.
const lexer = `
-- p/lexer.go --
package p

import "errors"

// Lex splits.
func Lex(s string) ([]string, error) {
	var out []string
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' {
			out = append(out, "space")
		} else {
			out = append(out, "other")
		}
	}
	for _, o := range out {
		if o == "" {
			return nil, errors.New("empty")
		}
	}
	switch {
	case len(out) > 10:
		out = out[:10]
	case len(out) > 5:
		out = out[:5]
	default:
		println("short")
	}
	return out, nil
}

func count(s string) (n int) {
	for range s {
		n++
	}
	return n
}

func twice(s string) (n int) {
	for range s {
		n++
	}
	for range s {
		n += 2
	}
	return n
}
-- p/other.go --
package p

func other(a, b int) int {
	if a > b {
		return a
	}
	return b
}
`

// TestEdits marks everything, edits the source, marks again, and reports where each ID went.
func TestEdits(t *testing.T) {
	tests := []struct {
		name string
		edit func(*tree)
		// want has a line for each marker whose name changed: "new name < old name", "< name" for
		// one that retired, "name <" for one that is new. All others keep their names and IDs. A
		// "?" behind it says that it is a guess that the marker is the old one, whether its name
		// changed or not.
		want string
	}{
		{"nothing", func(*tree) {}, ""},
		{"insert a loop before", func(s *tree) {
			s.replace("	var out []string\n", "	var out []string\n	for range 3 {\n		println()\n	}\n")
		}, `
			p.Lex:for#1 <
			p.Lex:for#2 < p.Lex:for#1
			p.Lex:for#3 < p.Lex:for#2`},
		{"insert an equal loop before", func(s *tree) {
			s.replace("(n int) {\n	for range s {\n		n++\n	}\n	for range", "(n int) {\n	for range s {\n		println(n)\n	}\n	for range s {\n		n++\n	}\n	for range")
		}, `
			p.twice:for#1 <
			p.twice:for#2 < p.twice:for#1
			p.twice:for#3 < p.twice:for#2`},
		{"insert a function and lines", func(s *tree) {
			s.replace("func count", "// New.\nfunc first() {\n	println(1)\n}\n\nfunc count")
		}, `
			p.first <`},
		{"delete a loop", func(s *tree) {
			s.replace("	for _, o := range out {\n		if o == \"\" {\n			return nil, errors.New(\"empty\")\n		}\n	}\n", "")
		}, `
			< p.Lex:for#2
			< p.Lex:if#2.then`},
		{"delete the first of two equal loops", func(s *tree) {
			s.replace("(n int) {\n	for range s {\n		n++\n	}\n	for range", "(n int) {\n	for range")
		}, `
			p.twice:for#1 < p.twice:for#2
			< p.twice:for#1`},
		{"duplicate a loop", func(s *tree) {
			s.replace("		n += 2\n	}\n", "		n += 2\n	}\n	for range s {\n		n += 2\n	}\n")
		}, `
			p.twice:for#2 ?
			p.twice:for#3 <`},
		{"edit a body", func(s *tree) { s.replace(`"space"`, `"blank"`) }, ""},
		{"edit a condition", func(s *tree) { s.replace("if o ==", "if len(o) == 0 || o ==") }, `
			p.Lex:if#2.then ?`},
		{"edit a loop header", func(s *tree) { s.replace("for i := 0; i < len(s); i++", "for i := range len(s)") }, `
			p.Lex:for#1 ?`},
		{"edit condition and body", func(s *tree) {
			s.replace("a > b {\n		return a", "b < a {\n		return b + 1")
		}, `
			p.other:if#1.then <
			< p.other:if#1.then`},
		{"edit two headers and bodies at once", func(s *tree) {
			s.replace("for i := 0; i < len(s); i++ {\n", "for i := range s {\n		println(i)\n")
			s.replace("for _, o := range out {\n", "for k, o := range out {\n		println(k)\n")
		}, `
			p.Lex:for#1 <
			p.Lex:for#2 <
			< p.Lex:for#1
			< p.Lex:for#2`},
		{"edit one loop and add another", func(s *tree) {
			s.replace("for i := 0; i < len(s); i++ {\n", "for i := range s {\n")
			s.replace("	switch {\n", "	for range 3 {\n		println()\n	}\n	switch {\n")
		}, `
			p.Lex:for#1 ?
			p.Lex:for#3 <`},
		{"edit the condition of an if with an else, and the then", func(s *tree) {
			s.replace("s[i] == ' ' {\n			out = append(out, \"space\")", "s[i] < ' ' {\n			out = append(out, \"control\")")
		}, `
			p.Lex:if#1.then <
			p.Lex:if#1.else ?
			< p.Lex:if#1.then`},
		{"insert an if with an equal condition before", func(s *tree) {
			s.replace("	if a > b {\n", "	if a > b {\n		println(a)\n	}\n	if a > b {\n")
		}, `
			p.other:if#1.then <
			p.other:if#2.then < p.other:if#1.then`},
		{"edit a condition and move it to another function", func(s *tree) {
			s.replace("	if a > b {\n		return a\n	}\n", "")
			s.replace("	return n\n}\n\nfunc twice", "	if b := 3; n > b {\n		return a\n	}\n	return n\n}\n\nfunc twice")
		}, `
			p.count:if#1.then <
			< p.other:if#1.then`},
		{"swap the bodies of two functions", func(s *tree) {
			s.replace("func Lex(s string) ([]string, error) {\n	var", "func other(a, b int) int {\n	var")
			s.replace("func other(a, b int) int {\n	if", "func Lex(s string) ([]string, error) {\n	if")
		}, `
			p.Lex:if#1.then < p.other:if#1.then ?
			p.other:for#1 < p.Lex:for#1 ?
			p.other:for#2 < p.Lex:for#2 ?
			p.other:if#1.then < p.Lex:if#1.then ?
			p.other:if#1.else < p.Lex:if#1.else ?
			p.other:if#2.then < p.Lex:if#2.then ?
			p.other:switch#1.case#1 < p.Lex:switch#1.case#1 ?
			p.other:switch#1.case#2 < p.Lex:switch#1.case#2 ?
			p.other:switch#1.case#3 < p.Lex:switch#1.case#3 ?`},
		{"switch on a value", func(s *tree) {
			s.replace("switch {\n	case len(out) > 10:", "switch n := len(out); {\n	case n > 10:")
			s.replace("	case len(out) > 5:\n		out = out[:5]", "	case n > 5:\n		out = out[:n/2]")
		}, `
			p.Lex:switch#1.case#1 ?
			p.Lex:switch#1.case#2 <
			p.Lex:switch#1.case#3 ?
			< p.Lex:switch#1.case#2`},
		{"rename a function and edit a condition in it", func(s *tree) {
			s.replace("func Lex", "func Split")
			s.replace("if o ==", "if len(o) == 0 || o ==")
		}, `
			p.Split < p.Lex ?
			p.Split:for#1 < p.Lex:for#1 ?
			p.Split:if#1.then < p.Lex:if#1.then ?
			p.Split:if#1.else < p.Lex:if#1.else ?
			p.Split:for#2 < p.Lex:for#2 ?
			p.Split:if#2.then < p.Lex:if#2.then ?
			p.Split:switch#1.case#1 < p.Lex:switch#1.case#1 ?
			p.Split:switch#1.case#2 < p.Lex:switch#1.case#2 ?
			p.Split:switch#1.case#3 < p.Lex:switch#1.case#3 ?`},
		{"edit an if and insert one with an equal condition before", func(s *tree) {
			s.replace("	if a > b {\n		return a", "	if a > b {\n		println(a)\n	}\n	if a > b {\n		return a + 1")
		}, `
			p.other:if#1.then ?
			p.other:if#2.then <`},
		{"swap two loops with equal headers and edit one", func(s *tree) {
			s.replace("		n++\n	}\n	for range s {\n		n += 2\n", "		n += 2\n	}\n	for range s {\n		n += 3\n")
		}, `
			p.twice:for#1 < p.twice:for#2
			p.twice:for#2 < p.twice:for#1 ?`},
		{"change a signature", func(s *tree) { s.replace("func count(s string) (n int)", "func count(s string, more ...int) (n int)") }, ""},
		{"rename a function", func(s *tree) { s.replace("func Lex", "func Split") }, `
			p.Split < p.Lex ?
			p.Split:for#1 < p.Lex:for#1 ?
			p.Split:if#1.then < p.Lex:if#1.then ?
			p.Split:if#1.else < p.Lex:if#1.else ?
			p.Split:for#2 < p.Lex:for#2 ?
			p.Split:if#2.then < p.Lex:if#2.then ?
			p.Split:switch#1.case#1 < p.Lex:switch#1.case#1 ?
			p.Split:switch#1.case#2 < p.Lex:switch#1.case#2 ?
			p.Split:switch#1.case#3 < p.Lex:switch#1.case#3 ?`},
		{"rename a function whose loop is not the only one of its kind", func(s *tree) { s.replace("func count", "func number") }, `
			p.number < p.count ?
			p.number:for#1 < p.count:for#1 ?`},
		{"rename a function and edit in it", func(s *tree) {
			s.replace("func Lex", "func Split")
			s.replace("	return out, nil", "	println(len(out))\n	return out, nil")
		}, `
			p.Split < p.Lex ?
			p.Split:for#1 < p.Lex:for#1 ?
			p.Split:if#1.then < p.Lex:if#1.then ?
			p.Split:if#1.else < p.Lex:if#1.else ?
			p.Split:for#2 < p.Lex:for#2 ?
			p.Split:if#2.then < p.Lex:if#2.then ?
			p.Split:switch#1.case#1 < p.Lex:switch#1.case#1 ?
			p.Split:switch#1.case#2 < p.Lex:switch#1.case#2 ?
			p.Split:switch#1.case#3 < p.Lex:switch#1.case#3 ?`},
		{"make it a method", func(s *tree) { s.replace("func count(s string)", "type text string\n\nfunc (s text) count()") }, `
			p.text.count < p.count ?
			p.text.count:for#1 < p.count:for#1 ?`},
		{"re-indent and comment", func(s *tree) {
			s.replace("	for range s {\n		n++\n	}\n	for", "	{\n		// Count.\n		for  range  s  { // all\n\n			n++\n		}\n	}\n	for")
		}, ""},
		{"split a function", func(s *tree) {
			s.replace("	for _, o := range out {\n		if o == \"\" {\n			return nil, errors.New(\"empty\")\n		}\n	}\n	switch",
				"	return cut(out)\n}\n\nfunc cut(out []string) ([]string, error) {\n	for _, o := range out {\n		if o == \"\" {\n			return nil, errors.New(\"empty\")\n		}\n	}\n	switch")
		}, `
			p.cut <
			p.cut:for#1 < p.Lex:for#2 ?
			p.cut:if#1.then < p.Lex:if#2.then ?
			p.cut:switch#1.case#1 < p.Lex:switch#1.case#1 ?
			p.cut:switch#1.case#2 < p.Lex:switch#1.case#2 ?
			p.cut:switch#1.case#3 < p.Lex:switch#1.case#3 ?`},
		{"move a function to another file", func(s *tree) {
			s.move("p/other.go", "p/third.go")
		}, ""},
		{"move a function to another package", func(s *tree) {
			s.move("p/other.go", "q/other.go")
			s.replace("package p\n\nfunc other", "package q\n\nfunc other")
		}, `
			q.other < p.other ?
			q.other:if#1.then < p.other:if#1.then ?`},
		{"rename the package", func(s *tree) {
			s.move("p/other.go", "q/other.go")
			s.move("p/lexer.go", "q/lexer.go")
		}, "p > q"},
		{"swap two branches", func(s *tree) {
			s.replace("	case len(out) > 10:\n		out = out[:10]\n	case len(out) > 5:\n		out = out[:5]\n", "	case len(out) > 5:\n		out = out[:5]\n	case len(out) > 10:\n		out = out[:10]\n")
		}, `
			p.Lex:switch#1.case#1 < p.Lex:switch#1.case#2
			p.Lex:switch#1.case#2 < p.Lex:switch#1.case#1`},
		{"swap two equal loops", func(s *tree) {
			s.replace("		n++\n	}\n	for range s {\n		n += 2\n", "		n += 2\n	}\n	for range s {\n		n++\n")
		}, `
			p.twice:for#1 < p.twice:for#2
			p.twice:for#2 < p.twice:for#1`},
		{"turn a condition around", func(s *tree) {
			s.replace("s[i] == ' ' {\n			out = append(out, \"space\")\n		} else {\n			out = append(out, \"other\")", "s[i] != ' ' {\n			out = append(out, \"other\")\n		} else {\n			out = append(out, \"space\")")
		}, `
			p.Lex:if#1.then < p.Lex:if#1.else ?
			p.Lex:if#1.else < p.Lex:if#1.then ?`},
		{"give a name", func(s *tree) { s.replace("	for i :=", "	//perf:mark letters\n	for i :=") }, `
			p.Lex:letters < p.Lex:for#1`},
		{"name one of two equal loops", func(s *tree) {
			s.replace("	for range s {\n		n += 2", "	//perf:mark pairs\n	for range s {\n		n += 2")
		}, `
			p.twice:pairs < p.twice:for#2`},
		{"copy a function", func(s *tree) {
			s.replace("func count", "func copied(s string) (n int) {\n	for range s {\n		n++\n	}\n	return n\n}\n\nfunc count")
		}, `
			p.copied <
			p.copied:for#1 <`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := newTree(lexer)
			after := newTree(lexer)
			test.edit(after)
			reg := new(registry.Registry)
			old, reg := before.mark(t, reg)
			got, next := after.mark(t, reg)
			if diff := moves(old, got, after.guesses(t, reg, got)); diff != expected(test.want, old) {
				t.Errorf("got\n%s\nwant\n%s", diff, expected(test.want, old))
			}
			retired := 0
			for _, e := range next.Entries() {
				if e.Retired {
					retired++
				}
			}
			if want := len(next.Entries()) - len(got); retired != want {
				t.Errorf("%d retired, want %d", retired, want)
			}
			// After undoing the edit, all markers have their IDs back.
			back, _ := before.mark(t, next)
			if diff := moves(old, back, nil); diff != "" {
				t.Errorf("undone, but not the IDs:\n%s", diff)
			}
		})
	}
}

// A name in the directive has priority over all other evidence.
func TestEditsNamed(t *testing.T) {
	before := newTree("-- p/p.go --\npackage p\n\nfunc F(n int) {\n	//perf:mark hot\n	for i := range n {\n		println(i)\n	}\n}\n")
	after := newTree("-- p/p.go --\npackage p\n\nfunc G(m []int) {\n	//perf:mark hot\n	for range m {\n		print()\n	}\n}\n")
	old, reg := before.mark(t, new(registry.Registry))
	got, _ := after.mark(t, reg)
	if got["p.G:hot"] != old["p.F:hot"] || got["p.G:hot"] == 0 {
		t.Errorf("hot did not keep its ID: %v, %v", old, got)
	}
}

// An if keeps the IDs of both clauses by its name. Cases of a switch share one name, and are
// identified by more than that.
func TestEditsNamedClauses(t *testing.T) {
	const text = "-- p/p.go --\npackage p\n\nfunc F(n int) {\n" +
		"	//perf:mark order\n	if n > 0 {\n		println(1)\n	} else {\n		println(2)\n	}\n" +
		"	//perf:mark way\n	switch n {\n	case 1:\n		println(3)\n	case 2:\n		println(4)\n	}\n}\n"
	before, after := newTree(text), newTree(text)
	for _, edit := range []string{"n > 0/n > 1", "println(1)/println(-1)", "println(2)/println(-2)", "case 1:/case 10:", "case 2:/case 20:", "println(4)/println(-4)"} {
		old, new, _ := strings.Cut(edit, "/")
		after.replace(old, new)
	}
	old, reg := before.mark(t, new(registry.Registry))
	got, _ := after.mark(t, reg)
	want := expected(`
		p.F:way.case#1 ?
		p.F:way.case#2 <
		< p.F:way.case#2`, old)
	if diff := moves(old, got, after.guesses(t, reg, got)); diff != want {
		t.Errorf("got\n%s\nwant\n%s", diff, want)
	}
}

// If two candidates are equally good, neither is chosen.
func TestEditsAmbiguous(t *testing.T) {
	before := newTree("-- p/p.go --\npackage p\n\nfunc F() {\n	println(1)\n}\n\nfunc G() {\n	println(1)\n}\n")
	after := newTree("-- p/p.go --\npackage p\n\nfunc H() {\n	println(1)\n}\n\nfunc I() {\n	println(1)\n}\n")
	old, reg := before.mark(t, new(registry.Registry))
	got, next := after.mark(t, reg)
	for name, id := range got {
		for was, oldID := range old {
			if id == oldID {
				t.Errorf("%s took over %s, which may as well be the other", name, was)
			}
		}
	}
	if n := bytes.Count(next.Format(), []byte(" retired ")); n != 2 {
		t.Errorf("%d retired, want 2:\n%s", n, next.Format())
	}
}

// tree is a set of Go files by name.
type tree struct{ files map[string]string }

func newTree(archive string) *tree {
	s := &tree{map[string]string{}}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		s.files[f.Name] = string(f.Data)
	}
	return s
}

// replace replaces a text that occurs once.
func (s *tree) replace(old, new string) {
	for name, text := range s.files {
		if strings.Count(text, old) == 1 {
			s.files[name] = strings.Replace(text, old, new, 1)
			return
		}
	}
	panic(fmt.Sprintf("%q is not there once", old))
}

func (s *tree) move(from, to string) {
	s.files[to] = s.files[from]
	delete(s.files, from)
}

// points returns the points of a tree.
func (s *tree) points(t *testing.T) (points []registry.Point) {
	t.Helper()
	packages := map[string][]rewrite.Source{"p": nil, "q": nil}
	var names []string
	for name := range s.files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path, _, _ := strings.Cut(name, "/")
		packages[path] = append(packages[path], rewrite.Source{Name: name, Text: []byte(s.files[name])})
	}
	for path, files := range packages {
		u, err := rewrite.Load(path, files)
		if err == nil {
			err = u.Find(rewrite.Options{All: true})
		}
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, u.RegistryPoints()...)
	}
	return points
}

// guesses returns the names of markers whose correspondence to reg is a guess.
func (s *tree) guesses(t *testing.T, reg *registry.Registry, byName map[string]registry.ID) map[string]bool {
	points := s.points(t)
	ids := make([]registry.ID, len(points))
	for i, p := range points {
		ids[i] = byName[p.Name]
	}
	guesses := map[string]bool{}
	for i, guess := range reg.Baseline().Guesses(points, ids) {
		if guess {
			guesses[points[i].Name] = true
		}
	}
	return guesses
}

// mark marks everything and returns the IDs by name.
func (s *tree) mark(t *testing.T, reg *registry.Registry) (map[string]registry.ID, *registry.Registry) {
	t.Helper()
	points := s.points(t)
	ids, next := reg.Assign([]string{"p", "q"}, points)
	byName := map[string]registry.ID{}
	for i, p := range points {
		byName[p.Name] = ids[i]
	}
	if len(byName) != len(points) {
		t.Fatalf("%d names for %d points", len(byName), len(points))
	}
	again, err := registry.Parse(registry.FileName, next.Format())
	if err != nil {
		t.Fatal(err)
	}
	return byName, again
}

// moves reports where the IDs went, in the format of want, sorted.
func moves(old, now map[string]registry.ID, guesses map[string]bool) string {
	was := map[registry.ID]string{}
	for name, id := range old {
		was[id] = name
	}
	var lines []string
	for name, id := range now {
		line := name
		if was[id] != name {
			line = strings.TrimSpace(name + " < " + was[id])
		}
		if guesses[name] {
			line += " ?"
		}
		if line != name {
			lines = append(lines, line)
		}
		delete(was, id)
	}
	for _, name := range was {
		lines = append(lines, "< "+name)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// expected sorts the lines of want; "p > q" is expanded to all markers of p.
func expected(want string, old map[string]registry.ID) string {
	var lines []string
	if want == "p > q" {
		for name := range old {
			lines = append(lines, "q"+name[1:]+" < "+name+" ?")
		}
	} else {
		for line := range strings.Lines(want) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
