package overlay

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	main, dep := &Module{Path: "example.com/m", Main: true}, &Module{Path: "example.com/dep"}
	files := []string{"x.go"}
	src := t.TempDir()
	sub := filepath.Join(src, "m", "sub")
	if err := os.MkdirAll(sub, 0o777); err != nil {
		t.Fatal(err)
	}
	pkgs := []*Package{
		{ImportPath: "example.com/m", Dir: src + "/m", Module: main, GoFiles: files},
		{ImportPath: "example.com/m/sub", Dir: src + "/m/sub", Module: main, GoFiles: files},
		{ImportPath: "example.com/m/sub/deep", Dir: src + "/m/sub/deep", Module: main, TestGoFiles: files},
		{ImportPath: "example.com/m/empty", Dir: src + "/m/empty", Module: main},
		{ImportPath: "example.com/dep", Dir: "/cache/dep", Module: dep, GoFiles: files},
		{ImportPath: "example.com/depth", Dir: "/cache/depth", Module: dep, GoFiles: files},
		{ImportPath: "example.com/broken", Module: dep},
		{ImportPath: "fmt", Dir: "/go/src/fmt", Standard: true, Goroot: true, GoFiles: files},
		{ImportPath: "vendor/golang.org/x/net", Dir: "/go/src/vendor/golang.org/x/net", Standard: true, Goroot: true, GoFiles: files},
		{ImportPath: "cmd/go", Dir: "/go/src/cmd/go", Standard: true, Goroot: true, GoFiles: files},
		{ImportPath: "runtime", Dir: "/go/src/runtime", Standard: true, Goroot: true, GoFiles: files},
		{ImportPath: "unsafe", Dir: "/go/src/unsafe", Standard: true, Goroot: true, GoFiles: files},
	}
	for patterns, want := range map[string]string{
		"":                    "example.com/m example.com/m/sub example.com/m/sub/deep",
		"example.com/m":       "example.com/m",
		"example.com/m/...":   "example.com/m example.com/m/sub example.com/m/sub/deep",
		"example.com/dep...":  "example.com/dep example.com/depth",
		"example.com/dep/...": "example.com/dep",
		"./...":               "example.com/m/sub example.com/m/sub/deep",
		"../.":                "example.com/m",
		".":                   "example.com/m/sub",
		src + "/m/...":        "example.com/m example.com/m/sub example.com/m/sub/deep",
		"std":                 "fmt vendor/golang.org/x/net",
		"cmd":                 "cmd/go",
		"fmt":                 "fmt",
		"golang.org/x/net":    "vendor/golang.org/x/net",
		"work":                "example.com/m example.com/m/sub example.com/m/sub/deep",
		".../deep,fmt":        "example.com/m/sub/deep fmt",
		"example.com/broken":  "",
		"all":                 "example.com/m example.com/m/sub example.com/m/sub/deep example.com/dep example.com/depth fmt vendor/golang.org/x/net cmd/go",
	} {
		var list []string
		if patterns != "" {
			list = strings.Split(patterns, ",")
		}
		s, err := choose(context.Background(), pkgs, "-markpkg", list, ListOptions{Dir: sub})
		if err != nil {
			t.Errorf("%s: %v", patterns, err)
			continue
		}
		var got []string
		for _, p := range s.packages {
			got = append(got, p.ImportPath)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s chose %s\nwant %s", patterns, strings.Join(got, " "), want)
		}
	}
	if _, err := choose(context.Background(), pkgs, "-markpkg", []string{"fmt", ""}, ListOptions{}); err == nil {
		t.Error("an empty pattern was accepted")
	}
	if _, err := choose(context.Background(), pkgs, "-markpkg", []string{"runtime"}, ListOptions{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "package runtime cannot be marked") {
		t.Errorf("runtime: %v", err)
	}
	s, err := choose(context.Background(), pkgs, "-markpkg", []string{"nothing", "std"}, ListOptions{Dir: t.TempDir()})
	if err != nil || !slices.Contains(s.notes, "-markpkg nothing matches no package of this build") ||
		!slices.ContainsFunc(s.notes, func(n string) bool { return strings.HasSuffix(n, "built from them: runtime") }) {
		t.Errorf("notes %q, %v", s.notes, err)
	}
}
