package rewrite

import (
	"strings"
	"testing"
)

// In a unit without markers, calls of recover are wrapped if Overlay.Recovers is set, and nothing
// else changes.
func TestRecovers(t *testing.T) {
	const other = "package p\n\nfunc f() {}\n"
	for _, tt := range []struct {
		name, src string
		recovers  bool
		want      string // "" if the file does not change
	}{
		{"deferred function", "package p\n\nfunc g() {\n\tdefer func() { recover() }()\n}\n", true,
			"package p; import markgen_perf \"markgen/perf\"\n\nfunc g() {\n\tdefer func() { markgen_perf.Recovered(recover()) }()\n}\n"},
		{"not asked to", "package p\n\nfunc g() {\n\tdefer func() { recover() }()\n}\n", false, ""},
		{"not predeclared", "package p\n\nfunc recover() {}\n\nfunc g() { recover() }\n", true, ""},
		{"none", "package p\n\nfunc g() {}\n", true, ""},
	} {
		u, err := Load("example.com/p_test", []Source{{Name: "a_test.go", Text: []byte(other)}, {Name: "b_test.go", Text: []byte(tt.src)}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{Inline: true}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		out, err := u.Overlay(Overlay{Runtime: "markgen/perf", Unit: "x", Recovers: tt.recovers})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := string(out["b_test.go"]); strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
		if text, ok := out["a_test.go"]; ok {
			t.Errorf("%s: the other file is\n%s", tt.name, text)
		}
	}
}
