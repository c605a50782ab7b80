package rewrite

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

func TestTellLast(t *testing.T) {
	const runtime = "example.com/perf"
	for name, text := range map[string]string{
		"no imports":   "package main\n\nfunc main() {}\n",
		"clause alone": "package main",
		"comments":     "// Command x.\npackage main // here\n\nimport \"fmt\" // for Println\n\nfunc main() { fmt.Println() }\n",
		"several":      "package main; import \"fmt\"; import (\n\t_ \"os\"\n)\nfunc main() { fmt.Println() }",
		"return":       "package main\r\n\r\nimport (\r\n\t\"fmt\"\r\n)\r\n\r\nvar x = 1\r\n\r\nfunc main() { fmt.Println(x) }\r\n",
		"directive":    "//line other.go:7\npackage main\n\nimport \"C\"\n\n//go:noinline\nfunc main() {}\n",
	} {
		t.Run(name, func(t *testing.T) {
			told, err := TellLast([]byte(text), runtime)
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(token.NewFileSet(), "", told, 0)
			if err != nil {
				t.Fatalf("%v\n%s", err, told)
			}
			found := false
			for _, spec := range f.Imports {
				found = found || spec.Path.Value == `"`+runtime+`"` && spec.Name.Name == LastName
			}
			if !found || strings.Count(string(told), "Last(true)") != 1 {
				t.Errorf("%s", told)
			}
			if was, is := strings.Count(text, "\n"), strings.Count(string(told), "\n"); was != is {
				t.Errorf("%d lines are %d", was, is)
			}
		})
	}
	if _, err := TellLast([]byte("package"), runtime); err == nil {
		t.Error("what does not parse is told")
	}
}
