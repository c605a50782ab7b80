package inplace

import (
	"bytes"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite"
)

// editedSource is the source that tests mark, edit and strip.
const editedSource = `package p

import "fmt"

//perf:mark
func parse(n int) int {
	fmt.Println(n)
	//perf:mark
	for range n {
		if n > 3 {
			break
		}
		n++
	}
	//perf:pause
	fmt.Println(n)
	//perf:resume
	return n
}

//perf:mark
func short() int { return 1 }
`

// Strip keeps the user's edits of marked source and removes the inserted code, wherever it is by
// then.
func TestStripAfterEdits(t *testing.T) {
	const (
		enter   = "\t\tperfs[1].Enter(&perfmarks.parseFor1)\n"
		exit    = "\t\tn++\n\t\tperfs[1].Exit()\n"
		exit1   = "\t\tperfs[1].Exit()\n"
		imports = "import (\n\t\"fmt\"\n\n\tperf \"" + testRuntime + "\" //perf:line\n)\n"
		shorts  = "func short() int { //perf:line\n\tif perf.On {\n\t\tdefer perf.Enter(&perfmarks.short).Exit()\n\t}\n\treturn 1\n}\n"
	)
	tests := []struct {
		name     string
		from, to string // in the marked source
		was, is  string // in the stripped source
	}{
		{"nothing", "", "", "", ""},
		{"a line deleted", enter, "", "", ""},
		{"a line doubled", exit, exit + exit1, "", ""},
		{"the array deleted", "\tvar perfs [2]perf.Scope\n", "", "", ""},
		{"the array larger", "[2]perf.Scope", "[1 + 4]perf.Scope", "", ""},
		{"the deferred call deleted", "\t\tdefer perf.Close(perfs[:])\n", "", "", ""},
		{"the if deleted", "\tif perf.On {\n\t\tdefer perf.Close(perfs[:])\n\t}\n", "\tdefer perf.Close(perfs[:])\n", "", ""},
		{"the if on one line", "\tif perf.On {\n\t\tdefer perf.Close(perfs[:])\n\t}\n", "\tif perf.On { defer perf.Close(perfs[:]) }\n", "", ""},
		{"indented otherwise", enter, "  perfs[1] . Enter( & perfmarks.parseFor1 )  \n", "", ""},
		{"wrapped", enter, "\t\tperfs[1].\n\t\t\tEnter(\n\t\t\t\t&perfmarks.parseFor1,\n\t\t\t)\n", "", ""},
		{"moved", "\t//perf:pause\n", exit1 + "\t//perf:pause\n", "", ""},
		{"a line put on another", exit, "\t\tn++\n\t\tperfs[1].Exit(); fmt.Println()\n", "\t\tn++\n", "\t\tn++\n\t\tfmt.Println()\n"},
		{"a line of the user's in between", exit, exit + "\t\tfmt.Println()\n", "\t\tn++\n", "\t\tn++\n\t\tfmt.Println()\n"},
		{"a comment behind", "perfs[1].Enter(&perfmarks.parseFor1)", "perfs[1].Enter(&perfmarks.parseFor1) // why", "\t\tif n > 3", "\t\t// why\n\t\tif n > 3"},
		{"a blank line", enter, "\n" + enter, "\t\tif n > 3", "\n\t\tif n > 3"},
		{"in a block of the user's", exit, "\t\tn++\n\t\tif n < 0 {\n\t" + exit1 + "\t\t}\n", "\t\tn++\n", "\t\tn++\n\t\tif n < 0 {\n\t\t}\n"},
		{"renamed", "parse(n int)", "read(n int)", "parse(n int)", "read(n int)"},
		{"another marker's name", "perfmarks.parseFor1", "perfmarks.other", "", ""},
		{"the function deleted", shorts, "", "func short() int { return 1 }\n", ""},
		{"the note deleted", "{ //perf:line", "{", "{ return 1 }", "{\n\treturn 1\n}"},
		{"a statement in a body that was one line", "\treturn 1\n", "\tprintln()\n\treturn 1\n", "return 1", "println(); return 1"},
		{"a comment in a body that was one line", "\treturn 1\n", "\t// one\n\treturn 1\n", "{ return 1 }", "{\n\t// one\n\treturn 1\n}"},
		{"a block in a body that was one line", "\treturn 1\n", "\tfor {\n\t}\n", "{ return 1 }", "{\n\tfor {\n\t}\n}"},
		{"the import moved", imports, "import (\n\tperf \"" + testRuntime + "\" //perf:line\n\n\t\"fmt\"\n)\n", "", ""},
		{"imports added", imports, "import (\n\t\"fmt\"\n\t\"os\"\n\n\tperf \"" + testRuntime + "\" //perf:line\n)\n", "import \"fmt\"\n", "import (\n\t\"fmt\"\n\t\"os\"\n)\n"},
		{"the other import deleted", imports, "import perf \"" + testRuntime + "\" //perf:line\n", "\nimport \"fmt\"\n", ""},
		{"the block left, without other imports", imports, "import (\n\tperf \"" + testRuntime + "\" //perf:line\n)\n", "\nimport \"fmt\"\n", ""},
		{"the imports in declarations of their own", imports, "import \"fmt\"\nimport perf \"" + testRuntime + "\"\n", "", ""},
		{"a comment among the imports", "import (\n", "import (\n\t// why\n", "import \"fmt\"\n", "import (\n\t// why\n\t\"fmt\"\n)\n"},
		{"a comment behind the other import", "\"fmt\"\n", "\"fmt\" // why\n", "\"fmt\"\n", "\"fmt\" // why\n"},
		{"the note of the import deleted", "\" //perf:line", "\"", "import \"fmt\"", "import (\n\t\"fmt\"\n)"},
		{"the import deleted", imports, "import \"fmt\"\n", "", ""},
		{"the name perf used by the user", "return 1\n", "perf := 1\n\treturn perf\n", "return 1", "perf := 1; return perf"},
	}
	marked := string(markInPlace(t, "example.com/p", []rewrite.Source{{Name: "p.go", Text: []byte(editedSource)}}, rewrite.Options{}, Options{})["p.go"])
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(marked, test.from) || !strings.Contains(editedSource, test.was) {
				t.Fatalf("%q is not in\n%s", test.from, marked)
			}
			edited := strings.Replace(marked, test.from, test.to, 1)
			want := strings.Replace(editedSource, test.was, test.is, 1)
			if formatted([]byte(edited)) {
				want = string(pretty(t, []byte(want)))
			}
			got, err := Strip("p.go", []byte(edited))
			if err != nil {
				t.Fatalf("%v in\n%s", err, edited)
			}
			if string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A file that is not formatted when it is stripped keeps its layout.
func TestStripUnformatted(t *testing.T) {
	const source = "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nfunc f() {\n\tfor range 3 {\n\t\tfmt.Println(os.Args)\n\t}\n}\n"
	edit := func(text string) string {
		return strings.Replace(text, "fmt.Println(os.Args)", "fmt.Println( os.Args )", 1)
	}
	marked := string(markAll(t, "p.go", []byte(source)))
	if got, err := Strip("p.go", []byte(edit(marked))); err != nil || string(got) != edit(source) {
		t.Errorf("%v, got\n%s", err, got)
	}
}

// Inserted code that is no longer recognised is an error with its position and remedy.
func TestStripErrors(t *testing.T) {
	const remedy = "delete it by hand, and put a directive where a marker is wanted"
	changed := func(pos, name string) string {
		return "p.go:" + pos + ": " + name + " is used where markgen did not insert it, or what it inserted has been changed; " + remedy
	}
	tests := []struct{ name, from, to, want string }{
		{"another condition", "if perf.On {", "if perf.On && n > 1 {", changed("12:5", "perf")},
		{"an else", "\t\tdefer perf.Close(perfs[:])\n\t}\n", "\t\tdefer perf.Close(perfs[:])\n\t} else {\n\t}\n", changed("12:5", "perf")},
		{"a scope kept", "return n", "s := perfs[1]; _ = s; return n", changed("32:7", "perfs")},
		{"a marker kept", "return n", "_ = perfmarks.parse; return n", changed("32:6", "perfmarks")},
		{"a comment inside", "\t\tdefer perf.Close", "\t\t// when on\n\t\tdefer perf.Close",
			"p.go:13:3: a comment stands in what markgen inserted; move it out, or delete it"},
		{"a syntax error", "return n", "return n n", "p.go:32:11: expected ';', found n"},
	}
	marked := string(markInPlace(t, "example.com/p", []rewrite.Source{{Name: "p.go", Text: []byte(editedSource)}}, rewrite.Options{}, Options{})["p.go"])
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(marked, test.from) {
				t.Fatalf("%q is not in\n%s", test.from, marked)
			}
			_, err := Strip("p.go", []byte(strings.Replace(marked, test.from, test.to, 1)))
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// Strip keeps an import of the runtime that the user's code uses, and the user's own import next to
// ours.
func TestStripLeavesImportInUse(t *testing.T) {
	const own = "package p\n\nimport (\n\t\"fmt\"\n\n\tperf \"" + testRuntime + "\"\n)\n\nfunc f() {\n\tperf.Pause()\n\tif perf.On {\n\t\tfmt.Println(1)\n\t}\n}\n"
	if marked := checkRoundTrip(t, "p.go", []byte(own)); !bytes.Contains(marked, []byte("perfs2[0].Enter(&perfmarks2.f)")) {
		t.Errorf("marked in another way than expected:\n%s", marked)
	}
	marked := string(markInPlace(t, "example.com/p", []rewrite.Source{{Name: "p.go", Text: []byte(editedSource)}}, rewrite.Options{}, Options{})["p.go"])
	for _, call := range []string{"perf.State()", "perf.Pause()", "perf.Finish()"} {
		edited := strings.Replace(marked, "\tfmt.Println(n)\n", "\t"+call+"\n\tfmt.Println(n)\n", 1)
		want := strings.Replace(editedSource, "\tfmt.Println(n)\n", "\t"+call+"\n\tfmt.Println(n)\n", 1)
		want = strings.Replace(want, "import \"fmt\"\n", "import (\n\t\"fmt\"\n\n\tperf \""+testRuntime+"\"\n)\n", 1)
		if got, err := Strip("p.go", []byte(edited)); err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", call, err, got, want)
		}
	}
}

// Inserted statements use the user's own import of the runtime.
func TestOwnImport(t *testing.T) {
	for _, name := range []string{"", "perf "} {
		for _, format := range []string{"", " "} {
			own := "package p\n\nimport " + name + "\"" + testRuntime + "\"\n\nfunc f() " + format + "{\n\tdefer perf.Finish()\n\tfor {\n\t}\n}\n"
			marked := checkRoundTrip(t, "p.go", []byte(own))
			if !bytes.Contains(marked, []byte("perfs[0].Enter(&perfmarks.f)")) || bytes.Count(marked, []byte(testRuntime)) != 1 {
				t.Errorf("the import is not shared:\n%s", marked)
			}
			// Without the user's use it is ours.
			edited := bytes.Replace(marked, []byte("\tdefer perf.Finish()\n"), nil, 1)
			want := "package p\n\nfunc f() " + format + "{\n\tfor {\n\t}\n}\n"
			if got, err := Strip("p.go", edited); err != nil || string(got) != want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
			}
		}
	}
}

// Strip keeps code of the user that looks like inserted code.
func TestStripLeavesOthersAlone(t *testing.T) {
	for _, text := range []string{
		"package p\n\nimport perf \"" + testRuntime + "\"\n\nfunc f() {\n\tperf.Pause()\n\tdefer perf.Resume()\n}\n",
		"package p\n\nvar perfmarks struct{ x int }\n\nvar perf T\n\nfunc f() { perf.Point(&perfmarks.x) }\n",
		"package p\n\nimport \"other/perf\"\n\nvar perfmarks int\n\nfunc f() {\n\tif perf.On {\n\t}\n}\n",
		"package p\n\n// inserted by markgen\nfunc f() {}\n",
		"package main\n\nimport perf \"" + testRuntime + "\"\n\nfunc main() {\n\tdefer perf.Finish()\n\tif perf.On {\n\t\tprintln()\n\t}\n}\n",
		"not Go",
		"",
	} {
		got, err := Strip("p.go", []byte(text))
		if err != nil || string(got) != text {
			t.Errorf("%q came back as %q, %v", text, got, err)
		}
		if b := Blank([]byte(text)); string(b) != text {
			t.Errorf("%q blanked is %q", text, b)
		}
	}
}

// If the user has the names, Mark uses others, and Strip finds these.
func TestInPlaceNames(t *testing.T) {
	for _, taken := range []string{"perf", "perfs", "perfmarks", "perfmarksLinux", "perftestmarks"} {
		src := []byte("package p\n\nvar " + taken + " int\n\nfunc f() {\n\tfor {\n\t}\n}\n")
		marked := checkRoundTrip(t, "p.go", src)
		for _, want := range []string{"import perf2 ", "var perfs2 [2]perf2.Scope", "perfs2[0].Enter(&perfmarks2.f)"} {
			if !bytes.Contains(marked, []byte(want)) {
				t.Errorf("%s is taken, and there is no %s in\n%s", taken, want, marked)
			}
		}
	}
	// A selector does not clash; a name in another file of the package does.
	src := []byte("package p\n\nvar x = y.perf\n\nfunc f() {}\n")
	out := markInPlace(t, "p", []rewrite.Source{{Name: "p.go", Text: src}}, rewrite.Options{All: true}, Options{})
	if !bytes.Contains(out["p.go"], []byte("import perf ")) {
		t.Errorf("a selector counts as a name in\n%s", out["p.go"])
	}
	out = markInPlace(t, "p", []rewrite.Source{{Name: "p.go", Text: src}}, rewrite.Options{All: true}, Options{Beside: [][]byte{[]byte("package p; func perf() {}")}})
	if !bytes.Contains(out["p.go"], []byte("import perf2 ")) {
		t.Errorf("a name of another file is used in\n%s", out["p.go"])
	}
}

// checkBlank checks that the blanked text has the lines of the marked text and the tokens of the
// stripped text.
func checkBlank(t *testing.T, marked, stripped []byte) {
	t.Helper()
	blanked := Blank(marked)
	if len(blanked) != len(marked) {
		t.Fatalf("%d bytes became %d", len(marked), len(blanked))
	}
	for i, c := range marked {
		if blanked[i] != c && (c == '\n' || c == '\r' || blanked[i] != ' ') {
			t.Fatalf("byte %d of\n%s\nbecame %q", i, marked, blanked[i])
		}
	}
	// A single import is left in the block that it was put into.
	if !bytes.Equal(importBlock.ReplaceAll(tokens(blanked), []byte("importimport\n$1")), importBlock.ReplaceAll(tokens(stripped), []byte("importimport\n$1"))) {
		t.Fatalf("\n%s\nbecame\n%s", marked, blanked)
	}
}

var importBlock = regexp.MustCompile(`importimport\n\(\n((?:IDENT.*\n|\.\n)?STRING.*\n)\)\n`)

// A table file is gofmt'ed, whatever the names are.
func TestTableFormat(t *testing.T) {
	src := []byte("package p\n\nvar nil int\n\n//perf:mark a`b`c\nfunc f() {\n\tfor {\n\t}\n}\n\n//perf:mark größer\nfunc g() {}\n\n//perf:mark range\nfunc h() {}\n\n//perf:mark 1 2\nfunc _() {}\nfunc _() {}\n")
	for name, text := range markInPlace(t, "p", []rewrite.Source{{Name: "p.go", Text: src}}, rewrite.Options{All: true}, Options{}) {
		if IsTable(text) && !formatted(text) {
			t.Errorf("gofmt would change %s\n%s", name, text)
		}
		if IsTable(text) && !bytes.Contains(text, []byte("\tp.a`+\"`\"+`b`+\"`\"+`c\n")) {
			t.Errorf("the name is not quoted in\n%s", text)
		}
	}
}

// Blank makes a generated file an empty file of its package.
func TestBlankTable(t *testing.T) {
	src := []byte("package p\n\nfunc f() {\n\tfor {\n\t}\n}\n")
	for name, text := range markInPlace(t, "p", []rewrite.Source{{Name: "p_linux.go", Text: append([]byte("//go:build linux\n\n"), src...)}, {Name: "p.go", Text: src}}, rewrite.Options{All: true}, Options{}) {
		if !IsTable(text) {
			continue
		}
		blanked := Blank(text)
		f, err := parser.ParseFile(token.NewFileSet(), name, blanked, parser.ParseComments)
		if err != nil || len(f.Decls) != 0 || len(blanked) != len(text) || bytes.Contains(text, []byte("//go:build linux")) != bytes.Contains(blanked, []byte("//go:build linux")) {
			t.Errorf("%s blanked is\n%s", name, blanked)
		}
	}
}

// FuzzStrip strips any text: stripped Go source is Go source with nothing left to strip, and Blank
// keeps every line.
func FuzzStrip(f *testing.F) {
	f.Add([]byte(editedSource))
	for _, text := range []string{editedSource, "package p; func f() { for { if x { break } } }", "package main\nfunc main() { L: for { goto L } }"} {
		f.Add(markAll(f, "p.go", []byte(text)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parses := func(text []byte) bool {
			_, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.ParseComments)
			return err == nil
		}
		blanked := Blank(text)
		if len(blanked) != len(text) || bytes.Count(blanked, []byte("\n")) != bytes.Count(text, []byte("\n")) {
			t.Fatalf("blanked, %q became %q", text, blanked)
		}
		if parses(text) && !parses(blanked) {
			t.Fatalf("blanked, %q does not parse: %q", text, blanked)
		}
		out, err := Strip("p.go", text)
		if err != nil {
			return
		}
		if parses(text) && !parses(out) {
			t.Fatalf("stripped, %q does not parse: %q", text, out)
		}
		if again, err := Strip("p.go", out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("stripped twice, %q became %q and then %q, %v", text, out, again, err)
		}
	})
}

// FuzzInPlace marks any Go file and checks that Strip restores it.
func FuzzInPlace(f *testing.F) {
	f.Add([]byte(editedSource))
	f.Add([]byte("package p; func f() { for { if x { break } }; switch { case 1: a(); case 2: b() } }"))
	f.Add([]byte("package p\r\nfunc f() (x int) {\r\n\tL: for { goto L }; select {} }"))
	f.Add([]byte("package p\n\nfunc a() int { return 1 }\n\nfunc b()   { x(); y() } // one\nfunc cc()  {}           // two\nfunc ddd() { a() }      // three\n"))
	f.Add([]byte("package p\n\ntype t struct{}\n\nfunc (t) a() func() int { return func() int { return 1 } }\nfunc (t) b() { go func() { x() }() }\nfunc (t) c() { /* c */ x() }\nfunc d() { x(`{ //perf:lin\n}`) }\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		u, err := rewrite.Load("p", []rewrite.Source{{Name: "p.go", Text: text}})
		if err != nil || maybeMarked(text) || u.Find(rewrite.Options{All: true, Generated: true}) != nil {
			return
		}
		out, err := Mark(u, Options{Runtime: testRuntime})
		if err != nil {
			t.Fatal(err)
		}
		marked, ok := out["p.go"]
		if !ok {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", marked, parser.ParseComments); err != nil {
			t.Fatalf("%q became %q: %v", text, marked, err)
		}
		back, err := Strip("p.go", marked)
		if err != nil || !bytes.Equal(back, text) {
			t.Fatalf("%q became %q and then %q, %v", text, marked, back, err)
		}
		checkBlank(t, marked, text)
	})
}
