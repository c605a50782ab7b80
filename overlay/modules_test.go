package overlay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filesIn writes files below a new directory and returns the directory.
func filesIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// textOf returns the content of a file.
func textOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Modules in the module cache with packages to mark are copied, once each; all others stay where
// they are.
func TestCopyModules(t *testing.T) {
	modCache := filesIn(t, map[string]string{
		"example.com/!dep@v1.0.0/go.mod": "module example.com/Dep\n", "example.com/!dep@v1.0.0/dep.go": "package dep\n", "example.com/!dep@v1.0.0/sub/sub.go": "package sub\n",
		"example.com/old@v0.1.0/old.go": "package old\n", "cache/download/example.com/old/@v/v0.1.0.mod": "module example.com/old\n",
		"example.com/fork@v1.2.0/go.mod": "module example.com/fork\n", "example.com/fork@v1.2.0/fork.go": "package fork\n",
	})
	in := func(name string) string { return filepath.Join(modCache, filepath.FromSlash(name)) }
	cache := &Cache{dir: t.TempDir()}
	module := func(path, version, dir, mod string) *Module {
		return &Module{Path: path, Version: version, Sum: "h1:" + version, Dir: in(dir), GoMod: in(mod)}
	}
	dep := module("example.com/Dep", "v1.0.0", "example.com/!dep@v1.0.0", "example.com/!dep@v1.0.0/go.mod")
	old := module("example.com/old", "v0.1.0", "example.com/old@v0.1.0", "cache/download/example.com/old/@v/v0.1.0.mod")
	replaced := &Module{Path: "example.com/was", Version: "v1.0.0", Replace: module("example.com/fork", "v1.2.0", "example.com/fork@v1.2.0", "example.com/fork@v1.2.0/go.mod")}
	main := &Module{Path: "example.com/m", Main: true, Dir: in("m")}
	tasks := []*task{
		{Package: &Package{Module: dep, Dir: in("example.com/!dep@v1.0.0")}}, {Package: &Package{Module: dep, Dir: in("example.com/!dep@v1.0.0/sub")}},
		{Package: &Package{Module: old, Dir: in("example.com/old@v0.1.0")}}, {Package: &Package{Module: replaced, Dir: in("example.com/fork@v1.2.0")}},
		{Package: &Package{Module: main, Dir: in("m")}, dir: "m"}, {Package: &Package{Standard: true, Dir: in("fmt")}, dir: "fmt"},
		{Package: &Package{Module: module("example.com/vendored", "v1.0.0", "", ""), Dir: filepath.Join(t.TempDir(), "vendor")}, dir: "vendor"},
	}
	modules := cache.modules()
	below := func(name string) string { return filepath.Join(modules, filepath.FromSlash(name)) }
	for range 2 { // the second time the copies exist
		copies, err := copyModules(cache, tasks, modCache)
		if err != nil {
			t.Fatal(err)
		}
		want := []*moduleCopy{
			{"example.com/Dep", "v1.0.0", below("example.com/!dep@v1.0.0"), "dep\texample.com/Dep\tv1.0.0\th1:v1.0.0\n"},
			{"example.com/old", "v0.1.0", below("example.com/old@v0.1.0"), "dep\texample.com/old\tv0.1.0\th1:v0.1.0\n"},
			{"example.com/was", "v1.0.0", below("example.com/fork@v1.2.0"), "dep\texample.com/was\tv1.0.0\n=>\texample.com/fork\tv1.2.0\th1:v1.2.0\n"},
		}
		if diff := cmp.Diff(want, copies, cmp.AllowUnexported(moduleCopy{})); diff != "" {
			t.Errorf("copies (-want +got):\n%s", diff)
		}
		var dirs []string
		for _, task := range tasks {
			dirs = append(dirs, task.dir)
		}
		if want := []string{want[0].dir, filepath.Join(want[0].dir, "sub"), want[1].dir, want[2].dir, "m", "fmt", "vendor"}; !slices.Equal(dirs, want) {
			t.Errorf("packages are in %q, want %q", dirs, want)
		}
		o := originsOf(cache, copies, modCache)
		if got := readOrigins(o.words()); !cmp.Equal(got, o) || got.Modules[want[0].dir] != want[0].info || got.Copies != modules || got.Cache != modCache {
			t.Errorf("origins are %+v, want %+v", got, o)
		}
	}
	for name, want := range map[string]string{
		"example.com/!dep@v1.0.0/sub/sub.go": "package sub\n", "example.com/!dep@v1.0.0/go.mod": "module example.com/Dep\n",
		"example.com/old@v0.1.0/go.mod": "module example.com/old\n", "example.com/fork@v1.2.0/fork.go": "package fork\n",
	} {
		if got := textOf(t, below(name)); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if left, err := filepath.Glob(below("example.com/*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if originsOf(cache, nil, modCache).words() != "" || readOrigins("") != nil {
		t.Error("there are origins of no copies")
	}
	gone := []*task{{Package: &Package{Module: module("example.com/gone", "v1.0.0", "example.com/gone@v1.0.0", ""), Dir: in("example.com/gone@v1.0.0")}}}
	if _, err := copyModules(cache, gone, modCache); err == nil || !strings.HasPrefix(err.Error(), "copying module example.com/gone@v1.0.0: ") {
		t.Errorf("of a module that is gone: %v", err)
	}
}

// A go.mod, or a go.work, is replaced by one that replaces the modules with the copies; other
// replacements stay.
func TestReplaceModules(t *testing.T) {
	dir := filesIn(t, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n\nrequire a.b/c v1.0.0\n\nreplace a.b/c v1.0.0 => a.b/fork v1.0.0\n\nreplace a.b/other => ../other\n", "go.sum": "a sum\n",
		"own.mod": "module m\n\ngo 1.26\n", "go.work": "go 1.26\n\nuse ./m\n\nreplace a.b/c => a.b/fork v1.0.0\n\nreplace a.b/other => ./other\n", "go.work.sum": "another sum\n",
	})
	cache := &Cache{dir: t.TempDir()}
	copies := []*moduleCopy{{path: "a.b/c", version: "v1.0.0", dir: "/copies/c"}}
	for _, tt := range []struct{ modFlag, mod, sum string }{
		{"", "module m\n\ngo 1.26\n\nrequire a.b/c v1.0.0\n\nreplace a.b/other => ../other\n\nreplace a.b/c => /copies/c\n", "a sum\n"},
		{"own.mod", "module m\n\ngo 1.26\n\nreplace a.b/c => /copies/c\n", ""},
	} {
		flag, variable, err := replaceModules(cache, copies, &goEnv{GOMOD: filepath.Join(dir, "go.mod"), GOWORK: "off"}, dir, tt.modFlag)
		name, ok := strings.CutPrefix(flag, "-modfile=")
		if err != nil || !ok || variable != "" {
			t.Fatalf("%s: %q, %q, %v", tt.modFlag, flag, variable, err)
		}
		if got := textOf(t, name); got != tt.mod {
			t.Errorf("%s: go.mod is\n%s\nwant\n%s", tt.modFlag, got, tt.mod)
		}
		sum, err := os.ReadFile(strings.TrimSuffix(name, ".mod") + ".sum")
		if string(sum) != tt.sum || err != nil && tt.sum != "" {
			t.Errorf("%s: go.sum is %q, %v", tt.modFlag, sum, err)
		}
	}
	flag, name, err := replaceModules(cache, copies, &goEnv{GOMOD: filepath.Join(dir, "go.mod"), GOWORK: filepath.Join(dir, "go.work")}, dir, "")
	if err != nil || flag != "" {
		t.Fatalf("of a workspace: %q, %v", flag, err)
	}
	got := textOf(t, name)
	for _, want := range []string{"use " + filepath.Join(dir, "m") + "\n", "replace a.b/other => " + filepath.Join(dir, "other") + "\n", "replace a.b/c => /copies/c\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "fork") || textOf(t, name+".sum") != "another sum\n" {
		t.Errorf("go.work is\n%s", got)
	}
}

// With -trimpath the paths of copies are mapped to the module cache.
func TestTrimpathOfCopies(t *testing.T) {
	in := func(name string) string { return filepath.FromSlash(name) }
	o := &origins{Copies: in("/c/module"), Cache: in("/mod")}
	toCache := ";" + o.Copies + "=>" + o.Cache
	for _, tt := range []struct{ args, want []string }{
		{[]string{"-p", "x", "-trimpath", "/w=>"}, []string{"-p", "x", "-trimpath", "/w=>" + toCache}},
		{[]string{"-trimpath=/w=>", "x.go"}, []string{"-trimpath=/w=>" + toCache, "x.go"}},
		{[]string{"-trimpath=/o/x.go=>" + in("/c/module/a@v1/x.go") + ";/w=>"}, []string{"-trimpath=/o/x.go=>" + in("/mod/a@v1/x.go") + ";/w=>" + toCache}},
		{[]string{"-trimpath"}, []string{"-trimpath"}},
		{[]string{"-p", "x"}, []string{"-p", "x"}},
	} {
		before := slices.Clone(tt.args)
		if got := o.trimpath(tt.args); !slices.Equal(got, tt.want) || !slices.Equal(tt.args, before) {
			t.Errorf("%q: %q, want %q", before, got, tt.want)
		}
	}
}
