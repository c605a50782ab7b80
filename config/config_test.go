package config

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/markgen/markgen/golden" // takes the flag -update
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
)

const sample = `
# comment
include:
  names: ["*/parse.*", m/x]
  kinds: [func, "loo?"]
exclude:
  names:
    - "*.String"
  groups: [debug]
group:
  "*/db.*": database
  "*": rest
sample:
  "*.(*Lexer).Next": 1:100
`

func TestParse(t *testing.T) {
	got, err := Parse(FileName, []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Include: Filter{Names: []string{"*/parse.*", "m/x"}, Kinds: []string{"func", "loo?"}},
		Exclude: Filter{Names: []string{"*.String"}, Groups: []string{"debug"}},
		Group:   []Rule{{"*/db.*", "database"}, {"*", "rest"}},
		Sample:  []Rate{{"*.(*Lexer).Next", 100}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "include:\n", "include:\n  names:\nsample: {}\n"} {
		if got, err := Parse(FileName, []byte(empty)); err != nil || cmp.Diff(new(Config), got) != "" {
			t.Errorf("%q: %+v, %v", empty, got, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"includes:\n", `f:1:1: unknown key "includes"; the keys of the file are include, exclude, group, sample`},
		{"\ninclude:\n  name: [a]\n", `f:3:3: unknown key "name"; the keys of include are names, kinds, groups`},
		{"include: [a]\n", "f:1:10: include is not a mapping; write keys with values: names, kinds and groups"},
		{"- a\n", "f:1:1: the file is not a mapping; write keys with values: include, exclude, group and sample"},
		{"include:\n  names: a\n", `f:2:10: include.names is not a list; write ["PATTERN", "PATTERN"]`},
		{"include:\n  names: [[a]]\n", `f:2:11: a pattern in include.names is not a text; write "PATTERN"`},
		{"exclude:\n  kinds: [loop, lopp]\n", `f:2:17: "lopp" matches no kind; the kinds are func, loop, branch, block, region, point`},
		{"exclude:\n  names: ['']\n", `f:2:11: a pattern is empty; leave it out, or write "*" for everything`},
		{"exclude:\n  names: [./...]\n", `f:2:11: the pattern "./..." has three dots; write * for any text`},
		{"sample:\n  a: 100\n", `f:2:6: "100" is not a rate; write 1:N with N from 1 to 1000000000`},
		{"sample:\n  a: 1:0\n", `f:2:6: "1:0" is not a rate`},
		{"sample:\n  a: 1:2\n  a: 1:3\n", `f:3:3: the key "a" is there twice, first in line 2; put the two together`},
		{"group:\n  a: two words\n", "f:2:6: the name of a group is not one word; write a name without blanks"},
		{"group:\n  a:\n", "f:2:5: the name of a group is not one word"},
		{"group: {a: &x b, c: *x}\n", "f:1:21: the name of a group is not one word"},
		{"? [a]\n: b\n", "f:1:3: the key of the file is not a text; write it on one line"},
		{"include:\n  names: [*.String]\n", "f:2:1: "},
		{"a: b: c\n", "f:1:1: mapping values are not allowed in this context; write it as YAML, patterns that begin with * in quotes"},
		{"include:\n---\nexclude:\n", "f:2:1: a second document begins; put everything into the first"},
		{"sample:\n  a: x\n  b: y\n", "f:2:6: \"x\" is not a rate; write 1:N with N from 1 to 1000000000\nf:3:6: "},
	}
	for _, test := range tests {
		_, err := Parse("f", []byte(test.text))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%q: got\n%v\nwant\n%s…", test.text, err, test.want)
		}
	}
}

func point(name, kind string) *rewrite.Point {
	return &rewrite.Point{Point: registry.Point{Name: name, Kind: kind}}
}

func TestKeep(t *testing.T) {
	c, err := Parse("f", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, kind string
		want       bool
	}{
		{"m/parse.F", "func", true},
		{"m/parse.F:for#1", "loop", true},
		{"m/parse.F:if#1.then", "branch", false},
		{"m/parse.T.String", "func", false},
		{"m/parse.T.Strings", "func", true},
		{"m/parser.F", "func", false},
		{"m/x", "func", true},
		{"m/xy", "func", false},
	}
	for _, test := range tests {
		if got := c.Keep(point(test.name, test.kind)); got != test.want {
			t.Errorf("%s %s: %v, want %v", test.kind, test.name, got, test.want)
		}
	}
	if !new(Config).Keep(point("m.F", "func")) {
		t.Error("the zero Config does not keep a marker")
	}
	db, err := Parse("f", []byte("exclude: {groups: ['d*']}\ngroup: {'*/db.*': db, '*': rest}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if db.Keep(point("m/db.F", "func")) || !db.Keep(point("m/x.F", "func")) {
		t.Error("a group that the file gives is not excluded")
	}
}

func TestAdjust(t *testing.T) {
	c, err := Parse("f", []byte("group: {'*.A': first, '*': second}\nsample: {'*.A*': 1:10, '*': 1:20}\n"))
	if err != nil {
		t.Fatal(err)
	}
	asked := point("m.A", "func")
	asked.Group, asked.Sample = "mine", 3
	tests := []struct {
		p    *rewrite.Point
		want string
	}{
		{point("m.A", "func"), "first 10"},
		{point("m.AB", "func"), "second 10"},
		{point("m.B", "func"), "second 20"},
		{asked, "mine 3"},
	}
	for _, test := range tests {
		c.Adjust(test.p)
		if got := fmt.Sprint(test.p.Group, " ", test.p.Sample); got != test.want {
			t.Errorf("%s: %s, want %s", test.p.Name, got, test.want)
		}
	}
	p := point("m.A", "func")
	new(Config).Adjust(p)
	if p.Group != "" || p.Sample != 0 {
		t.Error("the zero Config changes a marker")
	}
}

var position = regexp.MustCompile(`^f:[1-9][0-9]*:[1-9][0-9]*: `)

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("include: {names: [&a '*', *a]}\n<<: {}\n"))
	f.Add([]byte("? !!binary x\n: !!set {a, b}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("f", text)
		if err != nil {
			if !position.MatchString(err.Error()) {
				t.Fatalf("no position in %q", err)
			}
			return
		}
		p := point("m/db.F", "func")
		c.Keep(p)
		c.Adjust(p)
	})
}
