package registry

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const sample = `markgen registry 1
# comment

0000000000000001 live p F func 1 5 - "func ()" 00000000000000aa

0000000000000002 live p (*T).M loop 1 7 - "for i := range \"a b\"" 00000000000000bb
0000000000000003 retired p (*T).M region 1 - "parse headers" "begin parse headers" 0000000000000000
`

func TestParse(t *testing.T) {
	r, err := Parse(FileName, []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{ID: 2, Package: "p", Func: "(*T).M", Kind: "loop", Ordinal: 1, Rank: "7", Header: `for i := range "a b"`, Body: 0xbb},
		{ID: 3, Retired: true, Package: "p", Func: "(*T).M", Kind: "region", Ordinal: 1, Given: "parse headers", Header: "begin parse headers"},
		{ID: 1, Package: "p", Func: "F", Kind: "func", Ordinal: 1, Rank: "5", Header: "func ()", Body: 0xaa},
	}
	if got := r.Entries(); !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	if got, want := fmt.Sprint(r.Packages()), "[p]"; got != want {
		t.Errorf("Packages: %s, want %s", got, want)
	}
	var names []string
	for _, e := range want {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, "|"), `p.(*T).M:for i := range "a b"|p.parse headers|p.F`; got != want {
		t.Errorf("names: %s, want %s", got, want)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "markgen registry 1\n"
	const line = `0000000000000001 live p F func 1 5 - "func ()" 00000000000000aa` + "\n"
	tests := []struct{ name, text, want string }{
		{"no header", line, `r:1:1: the first line of a registry is "markgen registry 1"; put it back`},
		{"newer", "markgen registry 2\n", `r:1:18: this markgen reads version 1 of the registry, not "2"; use the markgen that wrote the file`},
		{"conflict", head + "<<<<<<< HEAD\n" + line + "=======\n>>>>>>> b\n", "r:2:1: git left a merge conflict here (<<<<<<<); keep the lines of both sides, delete the lines <<<<<<<, |||||||, ======= and >>>>>>>, then run markgen again"},
		{"two conflicts", head + "<<<<<<<\n=======\n>>>>>>>\n<<<<<<< HEAD\n|||||||\n=======\n>>>>>>> b\n", "r:2:1: git left a merge conflict here (<<<<<<<); keep the lines of both sides, delete the lines <<<<<<<, |||||||, ======= and >>>>>>>, then run markgen again\nr:5:1: git left"},
		{"rest of a conflict", head + line + "=======\n", "r:3:1: git left a merge conflict here (=======)"},
		{"conflict at the top", "<<<<<<< HEAD\n" + head, "r:1:1: git left a merge conflict"},
		{"short", head + "\n0000000000000001 live p\n", `r:3:24: the field "func" is missing; restore the line`},
		{"zero", head + strings.Replace(line, "0001", "0000", 1), "r:2:1: id: 0 is not a marker ID"},
		{"upper case", head + strings.Replace(line, "0001", "000A", 1), "r:2:1: id: "},
		{"state", head + strings.Replace(line, "live", "alive", 1), `r:2:18: state: "alive" is neither`},
		{"kind", head + strings.Replace(line, "F func", "F fun", 1), `r:2:27: kind: "fun" is none of`},
		{"package", head + strings.Replace(line, " p ", " - ", 1), `r:2:23: package: `},
		{"func", head + strings.Replace(line, " F ", ` "" `, 1), `r:2:25: func: `},
		{"ordinal", head + strings.Replace(line, " 1 ", " 01 ", 1), `r:2:32: ordinal: "01"`},
		{"rank", head + strings.Replace(line, " 5 ", " 50 ", 1), `r:2:34: rank: "50"`},
		{"body", head + strings.Replace(line, "00aa", "0aa", 1), `r:2:48: body: `},
		{"quote", head + strings.Replace(line, `)"`, `)`, 1), `r:2:38: the field "header" is not quoted`},
		{"glued", head + strings.Replace(line, `)" `, `)"`, 1), `r:2:38: the field "header" is not quoted`},
		{"more", head + strings.TrimSuffix(line, "\n") + " x\n", "r:2:65: there is more than the 10 fields"},
		{"long header", head + strings.Replace(line, "func ()", strings.Repeat("x", 200), 1), "r:2:38: header: longer"},
		{"contradiction", head + line + `0000000000000001 live q G func 1 5 - "func (int)" 00000000000000ab` + "\n", "r:3:1: line 2 gives the ID 0000000000000001 to another marker; delete one of the two lines, then run markgen again"},
		{"kinds", head + line + strings.Replace(line, "F func", "F loop", 1), "r:3:1: line 2 gives the ID"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse("r", []byte(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got error\n%v\nwant\n%s…", err, test.want)
			}
		})
	}
	_, err := Parse("r", []byte(head+strings.Repeat("x\n", 100)))
	if n := strings.Count(fmt.Sprint(err), "\n") + 1; n != maxErrors {
		t.Errorf("%d errors reported, want %d", n, maxErrors)
	}
}

func TestParseAccepts(t *testing.T) {
	const head = "markgen registry 1\n"
	const line = `0000000000000001 live p F func 1 5 - "func ()" 00000000000000aa` + "\n"
	one, err := Parse("r", []byte(head+line))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, text string
		same       bool // equal according to Same
	}{
		{"twice", head + line + line, true},
		{"two headers", head + line + head + line, true},
		{"CRLF", strings.ReplaceAll(head+line, "\n", "\r\n"), true},
		{"no newline", head + strings.TrimSuffix(line, "\n"), true},
		{"retired on one branch", head + line + strings.Replace(line, "live", "retired", 1), false},
		{"edited on one branch", head + line + strings.Replace(line, "aa", "bb", 1), false},
		{"renamed on one branch", head + line + strings.Replace(line, " F ", " G ", 1), false},
		{"renamed on one branch, edited on the other", head + line + `0000000000000001 live p G func 1 5 - "func (int)" 00000000000000bb` + "\n", false},
		{"moved on one branch", head + line + strings.Replace(line, " p ", " q ", 1), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse("r", []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Entries()) != 1 {
				t.Errorf("%d entries, want one ID", len(got.Entries()))
			}
			if same := bytes.Equal(got.Format(), one.Format()); same != test.same {
				t.Errorf("same as one line: %v, want %v:\n%s", same, test.same, got.Format())
			}
		})
	}
	if empty, err := Parse("r", nil); err != nil || len(empty.Entries()) != 0 {
		t.Errorf("empty text: %v, %v", empty, err)
	}
}

func TestID(t *testing.T) {
	for _, text := range []string{"0000000000000001", "ffffffffffffffff", "0123456789abcdef"} {
		id, err := ParseID(text)
		if err != nil || id.String() != text {
			t.Errorf("%s: %v, %v", text, id, err)
		}
	}
	for _, text := range []string{"", "0", "0000000000000000", "00000000000000001", "000000000000000A", "+000000000000001", "0x00000000000001"} {
		if id, err := ParseID(text); err == nil {
			t.Errorf("%q is read as %v", text, id)
		}
	}
}

// IDs are stored in files that outlive a release: the hash must never change.
func TestDerive(t *testing.T) {
	p := Point{Package: "example.com/p", Func: "F", Kind: "loop", Header: "for {"}
	first := derive(&p, 1, nil)
	if want := "1daca27b244707d4"; first.String() != want {
		t.Errorf("derive: %v, want %s", first, want)
	}
	second := derive(&p, 1, map[ID]bool{first: true})
	third := derive(&p, 1, map[ID]bool{first: true, second: true})
	if first == second || second == third || first == third {
		t.Errorf("collisions not resolved: %v %v %v", first, second, third)
	}
	if again := derive(&p, 1, map[ID]bool{first: true}); again != second {
		t.Errorf("collision resolved as %v and as %v", second, again)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("markgen registry 1\n<<<<<<< a\n"))
	f.Add([]byte("markgen registry 1\n0000000000000001 live \"p\\xff\" F func 1 - \"-\" \"\" 0000000000000000"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Parse("r", text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "r:") {
				t.Fatalf("error without a position: %v", err)
			}
			return
		}
		out := r.Format()
		again, err := Parse("r", out)
		if err != nil {
			t.Fatalf("what Format wrote is not read: %v\n%s", err, out)
		}
		if !slices.Equal(again.entries, r.entries) {
			t.Fatalf("read again:\n%+v\nwas\n%+v", again.entries, r.entries)
		}
		if !bytes.Equal(again.Format(), out) {
			t.Fatalf("Format differs:\n%s\n%s", again.Format(), out)
		}
	})
}
