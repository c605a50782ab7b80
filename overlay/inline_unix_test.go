//go:build unix

package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/rewrite"
)

// The script, or this program without a shell, adds the heap flag to compilations of packages, and
// the configuration if the package is on the list and has markers; it leaves every other invocation
// unchanged.
func TestToolScript(t *testing.T) {
	dir := t.TempDir()
	script, list, tool := filepath.Join(dir, "script"), filepath.Join(dir, "list"), filepath.Join(dir, "compile")
	marked, plain := filepath.Join(dir, "marked file.go"), filepath.Join(dir, "plain.go")
	const heap = "-d=gcstart=384"
	c := compiling{heap: heap, config: "/it's/config.json", archives: filepath.Join(dir, "it's where archives are"), packages: []string{"example.com/a", "it's/b"}}
	for name, text := range map[string]string{
		script: string(c.toolScript()),
		list:   string(c.toolList()),
		tool:   "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\necho $GOGC\nexit 3\n",
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
		more  []string
	}{
		{[]string{tool, "-p", "example.com/a", marked}, []string{heap, config}},
		{[]string{tool, "-o", "x y", "-p", "it's/b", plain, marked}, []string{heap, config}},
		{[]string{tool, "-p", "example.com/a", plain}, []string{heap}},
		{[]string{tool, "-p", "example.com/ab", marked}, []string{heap}},
		{[]string{tool, "-V=full"}, nil},
		{[]string{tool, marked}, nil},
		{[]string{other, "-p", "example.com/a", marked}, nil},
	} {
		for _, setting := range []string{"", "GOGC=" + goPercent, "GOGC=50", "GOMEMLIMIT=1GiB"} {
			want := ""
			for _, w := range append(slices.Clone(tt.more), tt.words[1:]...) {
				if w != heap || setting == "" || strings.HasSuffix(setting, goPercent) {
					want += "<" + w + ">"
				}
			}
			if setting == "GOGC=50" {
				want += "50"
			}
			for _, by := range [][]string{{shell, script, os.Args[0], "overlay", ""}, {os.Args[0], toolExec, list, "overlay", ""}} { // see TestMain
				words := append(by, tt.words...)
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=", setting)
				out, err := cmd.CombinedOutput()
				if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 3 {
					t.Errorf("%q: %v", words, err)
				}
				if got := strings.TrimSpace(string(out)); got != want {
					t.Errorf("%s %q: the tool got %s, want %s", setting, words, got, want)
				}
			}
		}
	}
}

// The linker, and no other tool, gets the GOROOT for stack traces, unless -trimpath has left it
// empty.
func TestLinkerGoroot(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	c := compiling{goroot: "/it's/mod/toolchain", packages: []string{"example.com/a"}}
	for name, text := range map[string]string{
		in("script"): string(c.toolScript()),
		in("list"):   string(c.toolList()),
		in("asm"):    "#!/bin/sh\necho \"<$GOROOT>\"\n",
		in("link"):   "#!/bin/sh\necho \"<$GOROOT>\"\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, by := range [][]string{{shell, in("script"), os.Args[0], "overlay", ""}, {os.Args[0], toolExec, in("list"), "overlay", ""}} { // see TestMain
		for _, tt := range []struct{ tool, goroot, want string }{
			{"link", "/link", "</it's/mod/toolchain>"},
			{"link", "", "<>"},
			{"asm", "/link", "</link>"},
		} {
			cmd := exec.Command(by[0], append(by[1:], in(tt.tool))...)
			cmd.Env = append(os.Environ(), "GOROOT="+tt.goroot)
			if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != tt.want {
				t.Errorf("%q with GOROOT=%s: %v, %s, want %s", cmd.Args, tt.goroot, err, out, tt.want)
			}
		}
	}
}
