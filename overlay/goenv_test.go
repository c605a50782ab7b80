package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A GOROOT in the module cache is used by another path, also by the tools that go runs.
func TestMoveGoroot(t *testing.T) {
	modCache := filesIn(t, map[string]string{"golang.org/toolchain@v0.0.1/bin/go": ""})
	root := filepath.Join(modCache, "golang.org", "toolchain@v0.0.1")
	b := &Build{cache: &Cache{dir: t.TempDir()}, env: &goEnv{GOROOT: root, GOMODCACHE: modCache}, environ: []string{"PATH=p", "GOTOOLCHAIN=go1.27.4"}}
	if err := os.Symlink(root, filepath.Join(t.TempDir(), "link")); err != nil {
		t.Skipf("there are no symbolic links: %v", err)
	}
	for range 2 { // the second time the link exists
		if err := b.moveGoroot(); err != nil {
			t.Fatal(err)
		}
	}
	if to, err := filepath.EvalSymlinks(b.env.GOROOT); err != nil || to == b.env.GOROOT || b.env.Download != root || within(modCache, b.env.GOROOT) {
		t.Errorf("GOROOT is %s, which is %s, %v", b.env.GOROOT, to, err)
	}
	if getenv(b.environ, "GOROOT") != b.env.GOROOT || getenv(b.environ, "GOTOOLCHAIN") != "local" || !strings.HasPrefix(getenv(b.environ, "PATH"), filepath.Join(b.env.GOROOT, "bin")+string(filepath.ListSeparator)) {
		t.Errorf("the environment is %q", b.environ)
	}
	b = &Build{cache: b.cache, env: &goEnv{GOROOT: t.TempDir(), GOMODCACHE: modCache}}
	before := *b.env
	if err := b.moveGoroot(); err != nil || *b.env != before || b.environ != nil {
		t.Errorf("outside it: %+v, %v", b.env, err)
	}
}
