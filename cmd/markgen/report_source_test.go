package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Source is found below the module's root, in the standard library and in downloaded
// modules; whatever else a data file names is not shown.
func TestSourceReader(t *testing.T) {
	root := t.TempDir()
	cache := t.TempDir()
	elsewhere := t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(root, "go.mod"):                  "module example.com/m\n",
		filepath.Join(root, "main.go"):                 "package main // ours\n",
		filepath.Join(root, "in", "f.go"):              "package in\n",
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
	env := &Env{Dir: filepath.Join(root, "in"), Environ: append(os.Environ(), "GOMODCACHE="+cache)}
	read, err := sourceReader(env, "")
	if err != nil {
		t.Fatal(err)
	}
	const missing, outside = "not found; -src DIR gives", "not shown: it is outside of the module"
	for _, test := range []struct {
		file string
		std  bool
		text string // what it begins with
		err  string
	}{
		{"main.go", false, "package main // ours\n", ""},
		{"in/f.go", false, "package in\n", ""},
		{filepath.ToSlash(filepath.Join(root, "main.go")), false, "package main // ours\n", ""},
		{filepath.ToSlash(filepath.Join(cache, "dep@v1", "d.go")), false, "package dep\n", ""},
		{"sort/sort.go", true, "// Copyright", ""},
		{"sort/sort.go", false, "", missing},
		{"sort/none.go", true, "", "not found in the standard library"},
		{"none.go", false, "", missing},
		{"notes.txt", false, "", "not shown: it is no Go file"},
		{"folder.go", false, "", "not shown: it is no file"},
		{"../" + filepath.Base(elsewhere) + "/secret.go", false, "", "escapes"},
		{"link.go", false, "", "escapes"},
		{"../../" + filepath.Base(elsewhere) + "/secret.go", true, "", "escapes"},
		{filepath.ToSlash(filepath.Join(elsewhere, "secret.go")), false, "", outside},
	} {
		source, err := read(test.file, test.std)
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
