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

// The streams in testdata are of packages that pass, fail, exit, panic, are killed, time out, do
// not compile, and skip. In the last one the go command itself was killed.
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

// The counts of several commands add up, and the exit code is the command's even if no test failed.
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
	clear(sum.Spent) // depends on the machine
	want := &summary{Passed: 1, Failed: []string{"./none", "go frobnicate: exit status 2"}, Skipped: map[string][]string{"because": {"m TestSkip", "m TestSkip"}}, Took: map[string]float64{}, Spent: map[string]float64{}}
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A command with many packages is shortened, so that the list of failures remains readable.
func TestBrief(t *testing.T) {
	for words, want := range map[string]string{
		"go vet ./...":        "go vet ./...",
		"a b c d e f g h i":   "a b c d e f g h i",
		"a b c d e f g h i j": "a b c d e f g h i …",
	} {
		if got := brief(strings.Fields(words)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The slowest come first, packages before tests, and subtests are not listed.
func TestSlowest(t *testing.T) {
	s := newSummary()
	s.Took["go test a"], s.Took["go vet"] = 61, 125
	for name, seconds := range map[string]float64{"a": 3, "b": 65.4, "c": 1, "a TestX": 2, "b TestY": 64, "b TestY/part": 63, "b TestZ": 2} {
		s.Spent[name] = seconds
	}
	var out bytes.Buffer
	s.print(&out, 2)
	const want = `tests: 0 passed, 0 failed, 0 skipped
took:    2:05  go vet
took:    1:01  go test a
slowest: 1:05  package b
slowest: 0:03  package a
slowest: 1:04  test b TestY
slowest: 0:02  test a TestX
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
