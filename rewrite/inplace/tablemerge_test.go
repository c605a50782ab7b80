package inplace

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite"
)

// A table in another order, as after a merge, is the same; a table with different numbers of fields
// and lines is not.
func TestSameTable(t *testing.T) {
	const source = "package p\n\n//perf:mark\nfunc f() {\n}\n\n//perf:mark\nfunc g() {\n}\n\n//perf:mark\nfunc h() {\n}\n"
	table := string(markInPlace(t, "example.com/p", []rewrite.Source{{Name: "p.go", Text: []byte(source)}}, rewrite.Options{}, Options{})["markgen_table.go"])
	lines := func(name string) (field, marker string) {
		field = "\t// " + name + "\n\t// p.go\n\t" + name + ",\n\n"
		for line := range strings.Lines(table) {
			if strings.HasSuffix(line, "."+name+"\n") {
				marker = line + "\n\n\n"
			}
		}
		if !strings.Contains(table, field) || !strings.Contains(table, marker) || marker == "" {
			t.Fatalf("%s is not in\n%s", name, table)
		}
		return field, marker
	}
	fieldF, markerF := lines("f")
	fieldG, markerG := lines("g")
	fieldH, _ := lines("h")
	fields := strings.NewReplacer(fieldF, fieldG, fieldG, fieldF)
	markers := strings.NewReplacer(markerF, markerG, markerG, markerF)
	for _, test := range []struct {
		name, text string
		same       bool
	}{
		{"the table", table, true},
		{"CRLF", strings.ReplaceAll(table, "\n", "\r\n"), true},
		{"no empty lines", strings.ReplaceAll(table, "\n\n", "\n"), true},
		{"both lists in another order", markers.Replace(fields.Replace(table)), true},
		{"one list in another order", fields.Replace(table), false},
		{"the other list in another order", markers.Replace(table), false},
		{"a field twice", strings.Replace(table, fieldH, fieldH+fieldH, 1), false},
		{"no field", strings.Replace(table, fieldH, "", 1), false},
		{"a marker twice", strings.Replace(table, markerF, markerF+markerF, 1), false},
		{"another marker", strings.Replace(table, ".f\n", ".e\n", 1), false},
		{"no field and no marker", strings.Replace(strings.Replace(table, fieldF, "", 1), markerF, "", 1), false},
		{"another package", strings.Replace(table, "package p", "package q", 1), false},
	} {
		if got := SameTable([]byte(test.text), []byte(table)); got != test.same {
			t.Errorf("%s: same %v:\n%s", test.name, got, test.text)
		}
	}
}
