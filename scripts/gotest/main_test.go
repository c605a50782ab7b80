package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/golden"
)

// The streams in testdata are of packages that pass, fail, die, panic, are killed, take too long, do not compile, and skip; the
// last is one whose go command was killed.
func TestRead(t *testing.T) {
	for _, name := range []string{"go1.26", "go1.27", "cut"} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join("testdata", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			var out bytes.Buffer
			s := newSummary()
			if err := s.read(f, &out); err != nil {
				t.Fatal(err)
			}
			s.print(&out, 2)
			golden.Check(t, name+".txt", out.String())
		})
	}
}

// What was counted of several commands adds up, and the exit code is the command's, also where no test failed.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("m_test.go", "package m\n\nimport \"testing\"\n\nfunc TestPass(*testing.T) {}\n\nfunc TestSkip(t *testing.T) { t.Skip(\"because\") }\n")
	sum := newSummary()
	for _, tt := range []struct {
		command, out string
		code         int
	}{
		{"go test -json .", "ok  \tm\t", 0},
		{"go test -json -run TestSkip .", "ok  \tm\t", 0},
		{"go test -json ./none", "# ./none\n", 1},
		{"go frobnicate", "", 2},
	} {
		var out bytes.Buffer
		s := newSummary()
		code, err := s.run(strings.Fields(tt.command), &out)
		if err != nil || code != tt.code || !strings.HasPrefix(out.String(), tt.out) {
			t.Errorf("%s: exit code %d, %v\n%s", tt.command, code, err, out.String())
		}
		if err := s.write("counts"); err != nil {
			t.Fatal(err)
		}
		if err := sum.add([]string{"counts"}); err != nil {
			t.Fatal(err)
		}
	}
	clear(sum.Spent) // of a slow machine
	want := &summary{Passed: 1, Failed: []string{"./none", "go frobnicate: exit status 2"}, Skipped: map[string][]string{"because": {"m TestSkip", "m TestSkip"}}, Took: map[string]float64{}, Spent: map[string]float64{}}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
