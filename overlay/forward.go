package overlay

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	rt "github.com/markgen/markgen/runtime"
)

// A program may contain packages that were marked in place. These import the runtime from its
// module or from a copy in their own module, and each such runtime would collect data on its own,
// besides the virtual runtime, into a separate file. So in an overlay build they contain no code,
// but forward to the virtual runtime.

// handOn replaces the runtimes that packages of the build depend on with forwarding ones, except in
// the module cache, where go allows no replacements.
func (b *Build) handOn(r replacements) error {
	for _, p := range b.packages {
		if !p.DepOnly || p.ImportPath == rt.VirtualPerf || !rt.IsPerf(p.ImportPath) || within(b.env.GOMODCACHE, p.Dir) {
			continue
		}
		if p.Dir == "" { // go reports the import
			b.Notes = append(b.Notes, p.ImportPath+" is imported, and no module has it: run markgen init")
			continue
		}
		entries, err := os.ReadDir(p.Dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := e.Name()
			if ext := filepath.Ext(name); (ext == ".go" || ext == ".s") && !strings.HasSuffix(name, "_test.go") {
				if r[filepath.Join(p.Dir, name)], err = b.cache.text([]byte(handedOn(p, name)), ext); err != nil {
					return err
				}
			}
		}
		text, err := b.cache.text([]byte(forward(p.Name)), ".go")
		if err != nil {
			return err
		}
		r[filepath.Join(p.Dir, "markgen_forward.go")] = text
	}
	return nil
}

// handedOn returns the content of a file in a package without code. The file is not deleted, since
// the package may embed it and its pattern has to match; the content is unique to the file, so that
// embedPlain can identify it.
func handedOn(p *Package, name string) string {
	text := "// What was in " + name + " of " + p.ImportPath + " is handed on.\n"
	if filepath.Ext(name) == ".go" {
		text += "\npackage " + p.Name + "\n"
	}
	return text
}

// forward returns the source of a runtime that forwards to the virtual one.
func forward(name string) string {
	return "package " + name + "\n\nimport perf " + strconv.Quote(rt.VirtualPerf) + `

const On = perf.On

const (
	MarkerPad = perf.MarkerPad

	StateUnconfigured = perf.StateUnconfigured
	StateConfigured   = perf.StateConfigured
	StateProfiling    = perf.StateProfiling
	StatePaused       = perf.StatePaused
	StateStopped      = perf.StateStopped
)

type (
	Marker  = perf.Marker
	Counter = perf.Counter
	Scope   = perf.Scope
	Entered = perf.Entered

	RunState    = perf.RunState
	StateError  = perf.StateError
	WatchError  = perf.WatchError
	ConfigError = perf.ConfigError
	Collector   = perf.Collector
)

func Register(markers *Marker, nm int, counters *Counter, nc int, table string) bool {
	return perf.Register(markers, nm, counters, nc, table)
}

func Close(s []Scope)         { perf.Close(s) }
func Enter(m *Marker) Entered { return perf.Enter(m) }
func Point(m *Marker)         { perf.Point(m) }
func Pass(m *Marker)          { perf.Pass(m) }
func Count(c *Counter)        { perf.Count(c) }
func Finish()                 { perf.Finish() }

func RegisterTable(before, after *Marker, text string) bool {
	return perf.RegisterTable(before, after, text)
}

func Configure(spec string) error  { return perf.Configure(spec) }
func Start() error                 { return perf.Start() }
func Pause() error                 { return perf.Pause() }
func Resume() error                { return perf.Resume() }
func Stop() error                  { return perf.Stop() }
func State() RunState              { return perf.State() }
func StartWatch(name string) error { return perf.StartWatch(name) }
func StopWatch(name string) error  { return perf.StopWatch(name) }

func Label(value string) bool { return perf.Label(value) }

func RegisterCollector(name string, c Collector) { perf.RegisterCollector(name, c) }
`
}
