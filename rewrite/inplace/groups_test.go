package inplace

import (
	"testing"
)

// Declarations next to marked ones are realigned, and text in a string may look like inserted code.
func TestRoundTripOfGroups(t *testing.T) {
	for name, text := range map[string]string{
		"empty bodies":                          "package p\n\nfunc A() {\n\n}\n\nfunc B() {\n}\n\nfunc C() {}\n\nfunc D() {\n\tfor {\n\n\t}\n}\n",
		"aligned bodies":                        "package p\n\ntype T []int\n\nfunc (t T) Len() int           { return len(t) }\nfunc (t T) Less(i, j int) bool { return t[i] < t[j] }\n",
		"an aligned neighbour without a marker": "package p\n\nvar (\n\tf  = func() int { return 1 } // one\n\tff = 2                       // two\n)\n",
		"comments behind statements":            "package p\n\nfunc f(n int) {\n\tn++       // one\n\tfor n > 1 { // two\n\t\tn-- // three\n\t}\n}\n",
		"in a string":                           "package p\n\nconst s = `\nperfs[0].Exit()\nif perf.On {\n\tdefer perf.Close(perfs[:])\n}\n`\n\nfunc f() {\n\tprintln(s)\n}\n",
		"in a string, aligned":                  "package p\n\nfunc f() string  { return `\nperf.Close(perfs[:])\n` }\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n",
		"comments with blank lines":             "package p\n\n/*\n\nfunc f() {}\n\n*/\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n",
		"a comment without a declaration":       "package p\n\n// Nothing.\n\nfunc g() int { return 1 }\n\n// The end.\n",
		"aligned bodies, a comment at the end":  "package p\n\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n\n// The end.\n",
		"no import, a comment at the package":   "package p // of tests\n// It goes on.\n\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n",
		"an import with a comment":              "package p\n\nimport \"fmt\" // prints\n\nfunc g() int     { return 1 }\nfunc hh() string { return fmt.Sprint() }\n",
		"a constraint in the middle":            "package p\n\n//go:build no\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n",
		"blank lines":                           "package p\n\nfunc g() int     { return 1 }\nfunc hh() string { return \"\" }\n\nfunc f() {\n\n\tprintln()\n\n\n\tprintln()\n}\n",
	} {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, "a.go", []byte(text)) })
	}
}
