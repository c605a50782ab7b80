//go:build unix

package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite"
)

// The script, and this program where there is no shell, add the configuration where a compiler gets a package of the list with
// markers in it, and leaves every other call alone.
func TestToolScript(t *testing.T) {
	dir := t.TempDir()
	script, list, tool := filepath.Join(dir, "script"), filepath.Join(dir, "list"), filepath.Join(dir, "compile")
	marked, plain := filepath.Join(dir, "marked file.go"), filepath.Join(dir, "plain.go")
	packages := []string{"example.com/a", "it's/b"}
	for name, text := range map[string]string{
		script: string(toolScript("/it's/config.json", packages)),
		list:   string(toolList("/it's/config.json", packages)),
		tool:   "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\nexit 3\n",
		marked: "package p; var " + rewrite.FreePrefix + "x [1]int\n",
		plain:  "package p\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(dir, "link")
	if err := os.Symlink(tool, other); err != nil {
		t.Fatal(err)
	}
	const config = "-coveragecfg=/it's/config.json"
	for _, tt := range []struct {
		words []string
		more  string
	}{
		{[]string{tool, "-p", "example.com/a", marked}, config},
		{[]string{tool, "-o", "x y", "-p", "it's/b", plain, marked}, config},
		{[]string{tool, "-p", "example.com/a", plain}, ""},
		{[]string{tool, "-p", "example.com/ab", marked}, ""},
		{[]string{tool, "-V=full"}, ""},
		{[]string{tool, marked}, ""},
		{[]string{other, "-p", "example.com/a", marked}, ""},
	} {
		want := ""
		for _, w := range append([]string{tt.more}, tt.words[1:]...) {
			if w != "" {
				want += "<" + w + ">"
			}
		}
		for _, by := range [][]string{{shell, script}, {os.Args[0], toolExec, list}} { // see TestMain
			words := append(by, tt.words...)
			out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
			if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 3 {
				t.Errorf("%q: %v", words, err)
			}
			if got := strings.TrimSpace(string(out)); got != want {
				t.Errorf("%q: the tool got %s, want %s", words, got, want)
			}
		}
	}
}
