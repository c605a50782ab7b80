package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

func TestCheckLink(t *testing.T) {
	for template, want := range map[string]string{
		"none":     "",
		editorLink: "",
		"https://github.com/o/r/blob/main/{file}#L{line}": "",
		"idea://open?file={path}&line={line}":             "",
		"../src/{file}.html":                              "",
		"https://example.com/#L{line}":                    "leads to no file; write {file} or {path} where its name belongs, or none",
		"https://example.com/{name}#L{line}":              "there is no {name}; write {file} for the name in the module, {path} for the one on this machine, {line} for the line",
		"javascript:alert('{file}')":                      "what begins with javascript: is no address of a file",
		" JavaScript:alert('{file}')":                     "is no address",
		"JavaScript:alert('{file}')":                      "what begins with javascript: is no address of a file",
		"https://exa mple.com/{file}":                     "is no address",
	} {
		err := checkLink(template)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", template, err, want)
		}
	}
}

// Links name the file as the template says; files that the template cannot name have no link.
func TestLinker(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a b")
	for name, text := range map[string]string{"go.mod": "module example.com/m\n", "in/f#1.go": "package in\n"} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	read, err := sourceReader(&cli.Env{Dir: root, Environ: os.Environ()}, "")
	if err != nil {
		t.Fatal(err)
	}
	slashed := filepath.ToSlash(root)
	here := "/" + strings.TrimPrefix(strings.ReplaceAll(slashed, " ", "%20"), "/")
	for _, test := range []struct {
		template, pkg, file string
		std                 bool
		want                string
	}{
		{"https://h/{file}#L{line}", "example.com/m/in", "in/f#1.go", false, "https://h/in/f%231.go#L{line}"},
		{"https://h/{file}#L{line}", "example.com/m/in_test", "in/f_test.go", false, "https://h/in/f_test.go#L{line}"},
		{"https://h/{file}#L{line}", "example.com/m/in", "in/gone.go", false, "https://h/in/gone.go#L{line}"},
		{"https://h/{file}#L{line}", "example.com/m/in", slashed + "/in/f#1.go", false, "https://h/in/f%231.go#L{line}"},
		{"https://h/{file}#L{line}", "example.com/dep/in", "in/f.go", false, ""},
		{"https://h/{file}#L{line}", "sort", "sort/sort.go", true, ""},
		{editorLink, "example.com/m/in", "in/f#1.go", false, "vscode://file" + here + "/in/f%231.go:{line}"},
		{editorLink, "example.com/m/in", "in/gone.go", false, ""},
		{editorLink, "example.com/m/in", "../../etc/passwd.go", false, ""},
	} {
		if got := linker(test.template, root, read)(test.pkg, test.file, test.std); got != test.want {
			t.Errorf("%s of %s: %q, want %q", test.template, test.file, got, test.want)
		}
	}
	if got := linker(editorLink, root, read)("sort", "sort/sort.go", true); !strings.HasSuffix(got, "/src/sort/sort.go:{line}") {
		t.Errorf("the standard library is at %q", got)
	}
	if got := linker(editorLink, root, nil)("example.com/m/in", "in/f#1.go", false); got != "" {
		t.Errorf("without source a file is at %q", got)
	}
	if linker("none", root, read) != nil {
		t.Error("none leads somewhere")
	}
}
