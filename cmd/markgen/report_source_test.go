package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
)

// Source is found below the module's root, in the standard library and in downloaded modules; other
// files named by a data file are not shown.
func TestSourceReader(t *testing.T) {
	root := t.TempDir()
	cache := t.TempDir()
	elsewhere := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(root, "go.mod"):                  "module example.com/m\n",
		filepath.Join(root, "main.go"):                 "package main // ours\n",
		filepath.Join(root, "in", "f.go"):              "package in\n",
		filepath.Join(root, "in", "f_test.go"):         "package in_test\n",
		filepath.Join(root, "notes.txt"):               "a secret\n",
		filepath.Join(cache, "dep@v1", "d.go"):         "package dep\n",
		filepath.Join(elsewhere, "secret.go"):          "package secret\n",
		filepath.Join(root, "folder.go", "nothing.go"): "package nothing\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(elsewhere, "secret.go"), filepath.Join(root, "link.go")); err != nil {
		t.Fatal(err)
	}
	env := &cli.Env{Dir: filepath.Join(root, "in"), Environ: append(os.Environ(), "GOMODCACHE="+cache)}
	read, err := sourceReader(env, "")
	if err != nil {
		t.Fatal(err)
	}
	const missing, outside, another = "not found; -src DIR gives", "not shown: it is outside of the module", "not shown: it is of a module that the go command does not have here"
	for _, test := range []struct {
		pkg  string
		file string
		std  bool
		text string // prefix of the text
		err  string
	}{
		{"example.com/m", "main.go", false, "package main // ours\n", ""},
		{"example.com/m/in", "in/f.go", false, "package in\n", ""},
		{"example.com/m/in_test", "in/f_test.go", false, "package in_test\n", ""},
		{"example.com/m", filepath.ToSlash(filepath.Join(root, "main.go")), false, "package main // ours\n", ""},
		{"example.com/m", filepath.ToSlash(filepath.Join(cache, "dep@v1", "d.go")), false, "package dep\n", ""},
		{"sort", "sort/sort.go", true, "// Copyright", ""},
		{"example.com/m/sort", "sort/sort.go", false, "", missing},
		{"sort", "sort/none.go", true, "", "not found in the standard library"},
		{"example.com/m", "none.go", false, "", missing},
		{"example.com/m", "notes.txt", false, "", "not shown: it is no Go file"},
		{"example.com/m", "folder.go", false, "", "not shown: it is no file"},
		{"example.com/m", "../" + filepath.Base(elsewhere) + "/secret.go", false, "", another},
		{"example.com/m", "link.go", false, "", "escapes"},
		{"sort", "../../" + filepath.Base(elsewhere) + "/secret.go", true, "", "escapes"},
		{"example.com/m", filepath.ToSlash(filepath.Join(elsewhere, "secret.go")), false, "", outside},
		{"example.com/other", "main.go", false, "", another},
		{"example.com/m/in", "main.go", false, "", another},
		{"", "main.go", false, "", another},
	} {
		source, err := read(test.pkg, test.file, test.std)
		switch {
		case test.err == "" && err != nil:
			t.Errorf("%s: %v", test.file, err)
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err) || source.Text != ""):
			t.Errorf("%s: %v and %q, want an error that says %q", test.file, err, source.Text, test.err)
		case !strings.HasPrefix(source.Text, test.text):
			t.Errorf("%s is %q", test.file, source.Text)
		case test.err == "" && (source.Go != "") != test.std:
			t.Errorf("%s came with %q", test.file, source.Go)
		case test.err == "" && source.Changed.IsZero() != strings.Contains(test.file, "dep@v1"):
			t.Errorf("%s has changed at %v", test.file, source.Changed)
		}
	}
	for dir, want := range map[string]string{"none": "", "../in": "", root: "", "nowhere": "-src nowhere is no folder", "f.go": "-src f.go is no folder"} {
		read, err := sourceReader(env, dir)
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("-src %s: %v", dir, err)
		}
		if (read == nil) != (dir == "none" || want != "") {
			t.Errorf("-src %s gives a reader: %v", dir, read != nil)
		}
	}
}

// Files of several modules have the same name: each marker gets the one of its package.
func TestSourceOfModules(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"main/go.mod":         "module example.com/m\n\ngo 1.26\n\nrequire example.org/dep v1.0.0\n\nreplace example.org/dep => ../dep\n",
		"main/parse.go":       "package main // ours\n\nimport _ \"example.org/dep\"\n\nfunc main() {}\n",
		"main/in/parse.go":    "package in // ours\n",
		"dep/go.mod":          "module example.org/dep\n\ngo 1.26\n",
		"dep/parse.go":        "package dep\n",
		"dep/in/parse.go":     "package in // the dependency's\n",
		"work/go.work":        "go 1.26\n\nuse ./a\nuse ./b\n",
		"work/a/go.mod":       "module example.com/a\n\ngo 1.26\n",
		"work/a/parse.go":     "package a\n",
		"work/b/go.mod":       "module example.com/b\n\ngo 1.26\n",
		"work/b/parse.go":     "package b\n",
		"none/parse.go":       "package main // in no module\n",
		"nested/go.mod":       "module example.com/n\n\ngo 1.26\n",
		"nested/parse.go":     "package n\n",
		"nested/x/go.mod":     "module example.com/n/x\n\ngo 1.26\n",
		"nested/x/parse.go":   "package x\n",
		"nested/x/y/parse.go": "package y\n",
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		dir, src  string
		pkg, file string
		text      string // prefix of the text; "" if it is not shown
	}{
		{"main", "", "example.com/m", "parse.go", "package main // ours\n"},
		{"main", "", "example.com/m/in", "in/parse.go", "package in // ours\n"},
		{"main", "", "example.org/dep", "parse.go", "package dep\n"},
		{"main", "", "example.org/dep/in", "in/parse.go", "package in // the dependency's\n"},
		{"main", "", "example.net/unknown", "parse.go", ""},
		{"main", "", "./parse", "parse.go", ""},
		{"main", "", "../dep/in", "in/parse.go", ""},
		{"main", "", "example.org/dep/...", "parse.go", ""},
		{"none", "../main", "example.org/dep", "parse.go", "package dep\n"},
		{"main", "../dep", "example.org/dep", "parse.go", "package dep\n"},
		{"main", "../dep", "example.com/m", "parse.go", ""},
		{"none", "", "example.com/m", "parse.go", ""},
		{"main", "../none", "command-line-arguments", "parse.go", "package main // in no module\n"},
		{"main", "../none", "example.com/m", "parse.go", ""},
		{"work/a", "", "example.com/a", "parse.go", "package a\n"},
		{"work/a", "", "example.com/b", "parse.go", "package b\n"},
		{"nested", "", "example.com/n", "parse.go", "package n\n"},
		{"nested", "", "example.com/n/x", "parse.go", ""},
		{"nested", "", "example.com/n/x/y", "y/parse.go", ""},
		{here, "", "golang.org/x/mod/semver", "semver/semver.go", "// Copyright"},
	} {
		dir := test.dir
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, filepath.FromSlash(dir))
		}
		read, err := sourceReader(&cli.Env{Dir: dir, Environ: append(os.Environ(), "GOFLAGS=", "GOWORK=")}, test.src)
		if err != nil {
			t.Fatal(err)
		}
		source, err := read(test.pkg, test.file, false)
		if test.text == "" && (err == nil || !strings.HasPrefix(err.Error(), "not shown: it is of a module ") || source.Text != "") || test.text != "" && (err != nil || !strings.HasPrefix(source.Text, test.text)) {
			t.Errorf("%s of %s in %s with -src %q: %v and %q, want %q", test.file, test.pkg, test.dir, test.src, err, source.Text, test.text)
		}
	}
}
