//go:build linux

package overlay_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// A library for C counts scopes on threads created by C. It never learns that the program ends, so
// its data are not marked complete.
func TestLibraryForC(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	dir, out := trapModule(t, "library"), t.TempDir()
	modes := map[string]string{"c-archive": "library.a", "c-shared": "library.so"}
	cc := strings.Fields(trapMust(t, dir, nil, "go", "env", "CC").stdout)
	for mode, library := range modes {
		t.Run(mode, func(t *testing.T) {
			folder := filepath.Join(out, mode)
			library, program := filepath.Join(folder, library), filepath.Join(folder, "program")
			compile := append(cc[1:], "-I", folder, "c/main.c", library, "-o", program, "-lpthread")
			if r := trapMust(t, dir, nil, trapMarkgen(t), "build", "-all", "-buildmode="+mode, "-o", library, "."); r.stderr != "" {
				t.Errorf("%s: %s", mode, r.stderr)
			}
			trapMust(t, dir, nil, cc[0], compile...)
			for _, markgen := range []string{"", "file=run.markgen,report=stderr,collect=time", "file=run.markgen,collect=time,noself"} {
				r := trapMust(t, out, []string{"MARKGEN=" + markgen}, program)
				if r.stdout != "2640000\n" || r.stderr != "" {
					t.Errorf("%s, MARKGEN=%s: %s%s", mode, markgen, r.stdout, r.stderr)
				}
				if markgen == "" {
					continue
				}
				p, err := runfile.Read(filepath.Join(out, "run.markgen"))
				if err != nil {
					t.Fatal(err)
				}
				const calls = 3 * 16 * 1000
				want := map[string]uint64{}
				for name, n := range map[string]uint64{"Step": 1, "Step:for#1": 10, "Step:func#1": 1, "deep": 55, "deep:if#1.then": 10} {
					want["example.com/library."+name] = n * calls
				}
				if diff := cmp.Diff(want, counts(p)); diff != "" {
					t.Errorf("%s, %s: counts (-want +got):\n%s", mode, markgen, diff)
				}
				if p.Complete {
					t.Errorf("%s: data that ended in order, of a program that ends by itself", mode)
				}
			}
		})
	}
}

// Markers of a plugin are registered while the program runs, which may have none of its own.
func TestPlugin(t *testing.T) {
	tier.Corpus(t)
	t.Parallel()
	dir, out := trapModule(t, "library"), t.TempDir()
	markgen, greeter := trapMarkgen(t), filepath.Join(out, "plugin.so")
	trapMust(t, dir, nil, markgen, "build", "-all", "-buildmode=plugin", "-o", greeter, "./plugin")
	trapMust(t, dir, nil, markgen, "build", "-all", "-o", filepath.Join(out, "marked"), "./host")
	trapMust(t, dir, nil, "go", "build", "-o", filepath.Join(out, "plain"), "./host")
	for _, host := range []string{"marked", "plain"} {
		r := trapMust(t, out, []string{"MARKGEN=file=" + host + ".markgen,collect=time"}, filepath.Join(out, host), greeter)
		if want := "hello false\nhello true\nhello false\nhello true\nhello false\n"; r.stdout != want || r.stderr != "" {
			t.Errorf("%s: %s%s", host, r.stdout, r.stderr)
		}
		p, err := runfile.Read(filepath.Join(out, host+".markgen"))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]uint64{}
		for name, n := range map[string]uint64{"plugin.Greet": 1, "plugin.Greet:for#1": 5, "plugin.odd": 5, "plugin.odd:if#1.then": 2, "host.main": 1, "host.call": 1} {
			if host == "marked" || strings.HasPrefix(name, "plugin.") {
				want["example.com/library/"+name] = n
			}
		}
		if diff := cmp.Diff(want, counts(p)); diff != "" {
			t.Errorf("%s: counts (-want +got):\n%s", host, diff)
		}
	}
}
