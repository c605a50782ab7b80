//go:build unix

package overlay

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Tools that see the copy of a module name its original files, in whatever package, and the linker
// gets the original version and sum. This is done by the script, or by this program without a
// shell.
func TestOriginsToTools(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	copied := in("it's cache/module/example.com/m@v1.2.3")
	c := compiling{packages: []string{"example.com/a"}, origins: &origins{
		Copies: in("it's cache/module"), Cache: "/go/pkg/mod", Modules: map[string]string{copied: "dep\texample.com/m\tv1.2.3\th1:sum=\n"},
	}}
	const (
		before = "path\texample.com/a\nmod\texample.com/a\t(devel)\t\n"
		after  = "dep\texample.com/n\tv1.0.0\n=>\t../n\t(devel)\t\ndep\texample.com/o\tv1.0.0\th1:o=\nbuild\t-compiler=gc\n"
		magic  = "\x300w\xaf\f\x92t\b\x02A\xe1\xc1\a\xe6\xd6\x18\xe6"
	)
	modinfo := func(deps string) string {
		return "packagefile fmt=/fmt.a\nmodinfo " + strconv.Quote(magic+before+deps+after+magic) + "\n"
	}
	for name, text := range map[string]string{
		in("script"):  string(c.toolScript()),
		in("list"):    string(c.toolList()),
		in("compile"): "#!/bin/sh\nfor a; do printf '<%s>' \"$a\"; done\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"asm", "cgo", "link", "vet"} {
		if err := os.Symlink(in("compile"), in(tool)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(copied, 0o777); err != nil {
		t.Fatal(err)
	}
	rule := ";" + in("it's cache/module") + "=>/go/pkg/mod"
	for _, tt := range []struct {
		name, dir  string
		tool       string
		args, want []string
	}{
		{"a file of a copy", dir, "compile", []string{"-trimpath", "/work=>", "-p", "example.com/m", copied + "/x.go"},
			[]string{"-trimpath", "/work=>" + rule, "-p", "example.com/m", copied + "/x.go"}},
		{"joined", dir, "compile", []string{"-trimpath=/work=>", copied + "/x.go"}, []string{"-trimpath=/work=>" + rule, copied + "/x.go"}},
		{"of the overlay", dir, "compile", []string{"-trimpath", "/work=>;/t.go=>" + copied + "/x.go;/u.go=>/home/u.go", "-p", "example.com/a", "/t.go"},
			[]string{"-trimpath", "/work=>;/t.go=>/go/pkg/mod/example.com/m@v1.2.3/x.go;/u.go=>/home/u.go" + rule, "-p", "example.com/a", "/t.go"}},
		{"assembly", dir, "asm", []string{"-trimpath", "/work=>", copied + "/x.s"}, []string{"-trimpath", "/work=>" + rule, copied + "/x.s"}},
		{"in the copy's directory", copied, "cgo", []string{"-trimpath", "/work=>", "./x.go"}, []string{"-trimpath", "/work=>" + rule, "./x.go"}},
		{"no rules", copied, "vet", []string{"vet.cfg"}, []string{"vet.cfg"}},
		{"no value", copied, "vet", []string{"-trimpath"}, []string{"-trimpath"}},
		{"elsewhere", dir, "asm", []string{"-trimpath", "/work=>", "/home/x.s"}, []string{"-trimpath", "/work=>", "/home/x.s"}},
		{"a linker", dir, "link", []string{"-importcfg", in("importcfg"), "x.a"}, []string{"-importcfg", in("importcfg"), "x.a"}},
	} {
		for _, by := range [][]string{{shell, in("script"), os.Args[0], "overlay", ""}, {os.Args[0], toolExec, in("list"), "overlay", ""}} { // see TestMain
			if tt.name == "elsewhere" && by[0] != shell {
				continue // an additional rule is harmless
			}
			if err := os.WriteFile(in("importcfg"), []byte(modinfo("dep\texample.com/m\tv1.2.3\n=>\t"+copied+"\t(devel)\t\n")), 0o666); err != nil {
				t.Fatal(err)
			}
			words := append(append(by, in(tt.tool)), tt.args...)
			cmd := exec.Command(words[0], words[1:]...)
			cmd.Dir = tt.dir
			out, err := cmd.CombinedOutput()
			if want := "<" + strings.Join(tt.want, "><") + ">"; err != nil || string(out) != want {
				t.Errorf("%s, by %s: %v\n%s\nwant\n%s", tt.name, filepath.Base(by[0]), err, out, want)
			}
			if tt.tool != "link" {
				continue
			}
			text, err := os.ReadFile(in("importcfg"))
			if want := modinfo("dep\texample.com/m\tv1.2.3\th1:sum=\n"); err != nil || string(text) != want {
				t.Errorf("by %s: %v\n%s\nwant\n%s", filepath.Base(by[0]), err, text, want)
			}
		}
	}
}
