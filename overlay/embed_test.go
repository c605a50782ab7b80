package overlay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// A program that embeds its own source gets it without markers, and without the files that marking
// adds; files in the user's own -overlay apply.
func TestEmbed(t *testing.T) {
	tier.Test(t)
	t.Parallel()
	markgen, dir := trapMarkgen(t), trapModule(t, "embed")
	other := filepath.Join(t.TempDir(), "other")
	if err := os.WriteFile(other, []byte("package sub\n\nvar Own = own()\n\nfunc own() string { return \"other\" }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(dir, "sub", "sub.go"): other}})
	if err != nil {
		t.Fatal(err)
	}
	user := filepath.Join(filepath.Dir(other), "overlay.json")
	if err := os.WriteFile(user, text, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"-overlay=" + user}} {
		for _, env := range [][]string{nil, {"GOARCH=386"}} {
			t.Run(fmt.Sprintf("%s, overlay %t", env, flags != nil), func(t *testing.T) {
				if env != nil {
					need32Bits(t)
				}
				out := t.TempDir()
				plain, marked := filepath.Join(out, "plain"), filepath.Join(out, "marked")
				trapMust(t, dir, env, "go", append([]string{"build", "-o", plain}, append(flags, ".")...)...)
				trapMust(t, dir, env, markgen, append([]string{"build", "-all", "-o", marked}, append(flags, ".")...)...)
				want, got := trapMust(t, out, nil, plain), trapMust(t, out, nil, marked)
				if trapCompare(t, "embed", got, want); !strings.Contains(got.stdout, "main.go") {
					t.Errorf("%s", got.stdout)
				}
			})
		}
	}
	trapMust(t, dir, nil, markgen, "test", "-all", ".")
	if tier.InCorpus() {
		trapMust(t, dir, nil, markgen, "test", "-race", "-cover", ".")
	}

	// Marked text has no comments, but a package is recompiled when comments in embedded files
	// change.
	source := filepath.Join(dir, "sub", "sub.go")
	for _, comment := range []string{"// Own is.", "// Own was."} {
		if err := trapCopyFile(source, source, func(text []byte) []byte {
			return regexp.MustCompile("// Own .*").ReplaceAll(text, []byte(comment))
		}); err != nil {
			t.Fatal(err)
		}
		trapMust(t, dir, nil, markgen, "test", "-all", ".")
		if got := trapMust(t, dir, nil, markgen, "run", "-all", "-report", "none", "."); got.stdout != trapMust(t, dir, nil, "go", "run", ".").stdout {
			t.Errorf("with %q: %s", comment, got.stdout)
		}
	}
}

// If the files to embed are unknown, compilation fails, instead of embedding marked text.
func TestEmbedUnknown(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(os.Args[0], "toolexec", "nolist", "nowhere.json", "", filepath.Join(t.TempDir(), "compile"), "-p", "x", "-embedcfg", "missing").CombinedOutput() // see TestMain
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 2 || !strings.HasPrefix(string(out), "markgen: open missing: ") {
		t.Errorf("%v\n%s", err, out)
	}
}
