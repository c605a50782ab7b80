package overlay

import (
	"bytes"
	"path/filepath"
	"slices"

	rt "github.com/markgen/markgen/runtime"
)

// yieldProfile makes pprof.StartCPUProfile end the CPU profile that the runtime may be taking, in the
// replacements r and in those of marked source: the process can have one at a time. The lines stay as
// they are.
func (b *Build) yieldProfile(r, marked replacements) error {
	const start = "func StartCPUProfile(w io.Writer) error {"
	is := func(p *Package) bool { return p.ImportPath == "runtime/pprof" }
	i := slices.IndexFunc(b.packages, is)
	if i < 0 {
		return nil // it may be in no program of the build
	}
	name := filepath.Join(b.packages[i].Dir, "pprof.go")
	if marked[name] != "" {
		r = marked
	}
	text, err := r.read(name)
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte("package pprof\n"), []byte("package pprof; import markgenperf \""+rt.VirtualPerf+"\"\n"), 1)
	text = bytes.Replace(text, []byte(start), []byte(start+" markgenperf.YieldProfile();"), 1)
	r[name], err = b.cache.text(text, ".go")
	return err
}
