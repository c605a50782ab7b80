package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/rewrite"
	"github.com/markgen/markgen/rewrite/inplace"
	rt "github.com/markgen/markgen/runtime"
)

// Source that is marked in place has the same markers as before, with their new positions.
func TestListMarkedInPlace(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const source = "package m\n\n//perf:mark\nfunc F(n int) (m int) {\n\t//perf:mark hot\n\tfor range n {\n\t\tm++\n\t}\n\treturn m\n}\n\n//perf:mark\nfunc G() int { return 1 }\n"
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("m.go", source)
	before := listJSON(t, dir)
	if len(before) != 3 {
		t.Fatalf("%d markers, want 3", len(before))
	}

	u, err := rewrite.Load("example.com/m", []rewrite.Source{{Name: "m.go", Text: []byte(source)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(rewrite.Options{}); err != nil {
		t.Fatal(err)
	}
	ids, _ := new(registry.Registry).Assign([]string{"example.com/m"}, u.RegistryPoints())
	u.SetIDs(ids)
	files, err := inplace.Mark(u, inplace.Options{Runtime: rt.Perf})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		write(name, string(text))
	}
	marked := strings.Split(string(files["m.go"]), "\n")
	for i, l := range listJSON(t, dir) {
		was := before[i]
		if was.Line == l.Line {
			t.Errorf("%s: still in line %d", l.Name, l.Line)
		}
		if line := marked[l.Line-1]; !strings.HasPrefix(strings.TrimSpace(line), "func ") && !strings.HasPrefix(strings.TrimSpace(line), "for ") {
			t.Errorf("%s: line %d is %q", l.Name, l.Line, line)
		}
		l.Line, l.Form = was.Line, was.Form
		if l != was {
			t.Errorf("marked: %+v\nbefore: %+v", l, was)
		}
	}
}

func listJSON(t *testing.T, dir string) []listed {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := &cli.Env{Args: []string{"list", "-json", "."}, Stdout: &stdout, Stderr: &stderr, Dir: dir, Environ: append(os.Environ(), "GOFLAGS=", "GOWORK=off")}
	if code := Main(env); code != cli.OK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var list []listed
	if err := json.Unmarshal(stdout.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	return list
}
