package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/profile/profiletest"
)

// runFile returns the data file of a run that started seconds later than the first.
func runFile(seconds uint64, killed bool) []byte {
	return profiletest.Run{
		App:       "demo",
		PID:       4711 + seconds,
		StartWall: 1763711763_000000000 + seconds*1e9, // 2025-11-21 07:56:03
		Span:      2_500_000_000,
		Killed:    killed,
		Tables: []profiletest.Table{{
			Text: "p\texample.com/demo\nf\tdemo.go\n" +
				"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.main\n" +
				"m\t00000000000000a2\tloop\t0\t14\t2\t0\t-\t-\t1\texample.com/demo.main:for#1\n" +
				"m\t00000000000000a3\tfunc\t0\t20\t1\t2\t-\t-\t1\texample.com/demo.never\n" +
				"b\t0\t12\t13\t16\t2\t3\n",
			Times:    map[int][]uint64{0: {2_400_000_000}, 1: {100, 120, 130, 4000}},
			Counters: []uint64{1},
		}},
	}.File()
}

// reportFolder returns a directory with data files, and other files.
func reportFolder(t *testing.T) string {
	dir := t.TempDir()
	one := runFile(0, false)
	for name, content := range map[string][]byte{
		"one.markgen":     one,
		"two.markgen":     runFile(5, false),
		"killed.markgen":  runFile(9, true),
		"damaged.markgen": one[:len(one)-2000],
		"notes.txt":       []byte("not data\n"),
		"runs/1":          one,
		"runs/2":          runFile(5, false),
		"runs/notes.txt":  []byte("not data\n"),
		"newer.markgen":   append([]byte("markgen\x00\x09\x00\x00\x00"), make([]byte, 8192)...),
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// markgenReport runs the command in dir. The result has the exit code, stderr, and stdout.
func markgenReport(dir string, args ...string) string {
	var stdout, stderr bytes.Buffer
	code := Main(&cli.Env{Args: append([]string{"report"}, args...), Stdout: &stdout, Stderr: &stderr, Dir: dir})
	return "exit code " + string('0'+rune(code)) + "\n-- stderr\n" + stderr.String() + "-- stdout\n" + stdout.String()
}

func TestReport(t *testing.T) {
	dir := reportFolder(t)
	for _, tt := range []struct{ name, args string }{
		{"one", "one.markgen"},
		{"total", "-sort total one.markgen"},
		{"hist", "-hist one.markgen"},
		{"hist-json", "-hist -format json one.markgen"},
		{"buckets-text", "-buckets one.markgen"},
		{"json", "-format json one.markgen"},
		{"cover", "-format cover two.markgen"},
		{"two", "one.markgen two.markgen"},
		{"twice", "one.markgen ./one.markgen o*.markgen"},
		{"folder", "runs"},
		{"pattern", "runs/*"},
		{"killed", "killed.markgen"},
		{"killed-json", "-format json killed.markgen"},
		{"damaged", "damaged.markgen two.markgen"},
		{"damaged-cover", "-format cover damaged.markgen"},
		{"missing", "missing.markgen one.markgen"},
		{"nothing", "notes.txt missing.markgen z*"},
		{"newer", "newer.markgen"},
		{"no-argument", ""},
		{"format", "-format xml one.markgen"},
		{"sort", "-sort size one.markgen"},
		{"flag", "-frmat json one.markgen"},
		{"compare-text", "one.markgen -- two.markgen"},
		{"compare-nothing", "-format html -- one.markgen --"},
		{"compare-missing", "-format html missing.markgen -- one.markgen"},
		{"source-text", "-src . one.markgen"},
		{"source-missing", "-format html -src nowhere one.markgen"},
		{"http-format", "-http :0 -format cover one.markgen"},
		{"http-output", "-http :0 -o x one.markgen"},
		{"http-address", "-http here one.markgen"},
		{"http-nothing", "-http :0 notes.txt missing.markgen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := markgenReport(dir, strings.Fields(tt.args)...)
			if strings.Contains(got, dir) {
				t.Errorf("names the current directory:\n%s", got)
			}
			golden.Check(t, "report/"+tt.name+".txt", "markgen report "+tt.args+"\n"+got)
		})
	}
}

// -o replaces a file atomically, and leaves it unchanged if there is nothing to write.
func TestReportOutput(t *testing.T) {
	dir := reportFolder(t)
	out := filepath.Join(dir, "out")
	if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("out", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := markgenReport(dir, "-o", "link", "missing.markgen"); !strings.HasPrefix(got, "exit code 1\n") {
		t.Error(got)
	}
	if text, _ := os.ReadFile(out); string(text) != "old" {
		t.Errorf("the file has become %q", text)
	}
	if got, want := markgenReport(dir, "-format", "cover", "-o", "link", "one.markgen"), "exit code 0\n-- stderr\n-- stdout\n"; got != want {
		t.Error(got)
	}
	const want = "mode: count\nexample.com/demo/demo.go:12.13,16.2 3 1\n"
	if text, err := os.ReadFile(out); string(text) != want {
		t.Errorf("the file has become %q, %v", text, err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v", err)
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	// Warnings then go to stderr.
	if got := markgenReport(dir, "-o", "new", "killed.markgen"); !strings.Contains(got, "-- stderr\nmarkgen report: warning: killed.markgen: process 4720 was not seen to end") {
		t.Error(got)
	}
	if got := markgenReport(dir, "-o", "no/such/folder", "one.markgen"); !strings.HasPrefix(got, "exit code 1\n-- stderr\nmarkgen report: ") || !strings.Contains(got, "; make the directory") {
		t.Error(got)
	}
	if got := markgenReport(dir, "-o", os.DevNull, "one.markgen"); got != "exit code 0\n-- stderr\n-- stdout\n" {
		t.Error(got)
	}
	if entries, err := filepath.Glob(filepath.Join(dir, ".markgen-*")); len(entries) > 0 || err != nil {
		t.Errorf("left behind: %q, %v", entries, err)
	}
}

func TestReportHelp(t *testing.T) {
	got := markgenReport(t.TempDir(), "-h")
	for _, part := range []string{"exit code 0\n-- stderr\n-- stdout\nusage: markgen report [-format F] [-sort K] [-top N] [-filter F] [-hist] [-paths] [-cost] [-shapes] [-buckets] [-src DIR] [-link URL] [-o FILE | -http ADDR] DATA…\n", "examples:\n  markgen report "} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
}
