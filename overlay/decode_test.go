package overlay

import (
	"reflect"
	"strings"
	"testing"
)

func TestDecodeVet(t *testing.T) {
	in := `{}
{"example.com/a": {"printf": [{"posn": "/src/a/a.go:11:4", "end": "/src/a/a.go:11:9", "message": "wrong"},
	{"posn": "/src/a/a.go:2:40", "message": "first"}]}}
{"example.com/a [example.com/a.test]": {"printf": [{"posn": "/src/a/a.go:11:4", "message": "wrong"}],
	"tests": {"error": "analyzer failed"}}}
{"example.com/a_test [example.com/a.test]": {"tests": [{"posn": "/src/a/x_test.go:3:1", "message": "odd"}]}}
`
	got, err := decodeVet(strings.NewReader(in), "/src")
	want := vetted{"example.com/a": {"a/a.go:2:40: first", "a/a.go:11:4: wrong", "a/x_test.go:3:1: odd"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := decodeVet(strings.NewReader("usage: vet"), "/"); err == nil {
		t.Error("what is no JSON was accepted")
	}
}

func FuzzDecodeVet(f *testing.F) {
	f.Add(`{"a": {"printf": [{"posn": "/a.go:1:2", "message": "m"}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		found, err := decodeVet(strings.NewReader(text), "/")
		for path, lines := range found {
			if len(lines) == 0 || err != nil {
				t.Errorf("%s: %q, %v", path, lines, err)
			}
		}
	})
}

func TestDecodeList(t *testing.T) {
	in := `{"ImportPath": "example.com/dep", "Name": "dep", "DepOnly": true, "GoFiles": ["d.go"]}
{"ImportPath": "example.com/p [example.com/p.test]", "ForTest": "example.com/p", "Name": "p", "DepOnly": true, "GoFiles": ["p.go", "p_test.go"], "TestGoFiles": ["p_test.go"], "XTestGoFiles": ["x_test.go"]}
{"ImportPath": "example.com/p_test [example.com/p.test]", "ForTest": "example.com/p", "Name": "p_test", "DepOnly": true, "GoFiles": ["x_test.go"]}
{"ImportPath": "example.com/p", "Name": "p", "GoFiles": ["p.go"], "TestGoFiles": ["p_test.go"], "XTestGoFiles": ["x_test.go"]}
{"ImportPath": "example.com/p.test", "Name": "main", "GoFiles": ["/cache/main.go"]}
{"ImportPath": "example.com/q_test", "Name": "q_test", "GoFiles": ["q.go"], "Error": {"Pos": "q.go:1:2", "Err": "broken"}}
`
	pkgs, err := decodeList(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range pkgs {
		got = append(got, p.ImportPath+" "+strings.Join(p.GoFiles, ","))
		if p.DepOnly != (p.Name == "dep") || p.ForTest != "" {
			t.Errorf("%+v", p)
		}
	}
	want := "example.com/dep d.go\nexample.com/p p.go\nexample.com/q_test q.go"
	if strings.Join(got, "\n") != want {
		t.Errorf("%q", got)
	}
	if got := pkgs[2].Error.Error(); got != "q.go:1:2: broken" {
		t.Error(got)
	}
}

func FuzzDecodeList(f *testing.F) {
	f.Add(`{"ImportPath": "p [p.test]", "ForTest": "p", "GoFiles": ["p.go"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		pkgs, err := decodeList(strings.NewReader(text))
		if err != nil && pkgs != nil {
			t.Errorf("packages beside an error: %v", err)
		}
		seen := map[string]bool{}
		for _, p := range pkgs {
			if seen[p.ImportPath] {
				t.Errorf("%s is listed twice", p.ImportPath)
			}
			seen[p.ImportPath] = true
		}
	})
}

func TestParseReplacements(t *testing.T) {
	r, err := parseReplacements("o.json", []byte(`{"Replace": {"a.go": "b.go", "/x/../c.go": "", "/d.go": "/e.go"}}`), "/src")
	want := replacements{"/src/a.go": "/src/b.go", "/c.go": "", "/d.go": "/e.go"}
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%v, %v; want %v", r, err, want)
	}
	for _, text := range []string{`{"Replace": {"": "x"}}`, `{"Replace": {"a.go": "x", "/src/a.go": "y"}}`, `nonsense`} {
		if _, err := parseReplacements("o.json", []byte(text), "/src"); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func FuzzParseReplacements(f *testing.F) {
	f.Add([]byte(`{"Replace": {"a.go": "b.go"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseReplacements("o.json", text, "/src")
		if err != nil {
			return
		}
		again, err := parseReplacements("o.json", r.marshal(), "/elsewhere")
		if err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%v became %v, %v", r, again, err)
		}
	})
}

func FuzzTestOutput(f *testing.F) {
	f.Add("=== RUN\nPASS\nok  \tp\t0.1s\n", false)
	f.Add(`{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}`+"\n", true)
	f.Fuzz(func(t *testing.T, text string, json bool) {
		// With nothing to add, everything is passed on unchanged.
		var b strings.Builder
		o := newTestOutput(&b, json)
		for i := range len(text) {
			if _, err := o.Write([]byte{text[i]}); err != nil {
				t.Fatal(err)
			}
		}
		if err := o.Close(); err != nil || b.String() != text {
			t.Errorf("%q became %q, %v", text, b.String(), err)
		}
	})
}
