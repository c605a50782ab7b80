package collect

import (
	"runtime"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
)

// A Collector is perf.Collector.
type Collector interface {
	Values() []string
	Read(into []uint64)
}

// An Own is a collector that the program has registered.
type Own struct {
	Name   string
	c      Collector
	values []string
	ready  bool   // Values has been called
	bad    bool   // Values returned an invalid result
	broken uint32 // Read has panicked in this run
	left   func()
	warn   func(string)

	// reader is set by Add, so that it is only linked into programs that have collectors.
	reader func(o *Own) (r *Reader, problem string)
}

// Owns are the program's collectors, by the order in which they were registered. One goroutine at a
// time may use it.
type Owns struct {
	n    int
	list [maxOwns]Own
}

const (
	// maxOwns is how many collectors a program can register. A run reads at most MaxCollectors of
	// them.
	maxOwns = 64 // a message in Add names it

	// maxOwnValues is the maximum number of values of a program's collector.
	maxOwnValues = 16 // a message in Reader names it
)

// Add adds a collector under a name, or returns why it cannot. SetValues is to be called next.
//
//go:norace
func (o *Owns) Add(name string, c Collector) (own *Own, problem string) {
	switch {
	case config.BuiltIn(name), name == ProcessAlloc:
		return nil, "the name is markgen's own; register it under another"
	case !config.IsName(name):
		return nil, "a name has lower-case letters, digits and _; register it under another"
	case c == nil:
		return nil, "there is none, RegisterCollector was given nil"
	case o.Named(name) != nil:
		return nil, "registered a second time; the first counts"
	case o.n == len(o.list):
		return nil, "64 are registered, which is all that there is room for; it is left out"
	}
	own = &o.list[o.n]
	own.Name, own.c, own.reader = name, c, (*Own).newReader
	o.n++
	return own, ""
}

// All returns the collectors.
//
//go:norace
func (o *Owns) All() []Own { return o.list[:o.n] }

// Named returns the collector of that name, or nil.
//
//go:norace
func (o *Owns) Named(name string) *Own {
	for i := range o.n {
		if own := &o.list[i]; own.Name == name {
			return own
		}
	}
	return nil
}

// AskValues calls the collector's Values, for SetValues. Any goroutine may call it.
func (o *Own) AskValues() (values []string, ok bool) {
	defer func() {
		if !ok {
			recover()
		}
	}()
	values = o.c.Values()
	return values, true
}

// SetValues sets the names of the values; ok is false if AskValues got none.
//
//go:norace
func (o *Own) SetValues(values []string, ok bool) {
	ok = ok && len(values) > 0 && len(values) <= maxOwnValues
	for i := range values {
		ok = ok && config.IsName(values[i])
		for k := range i {
			ok = ok && values[k] != values[i]
		}
	}
	o.values, o.bad, o.ready = values, !ok, true
}

// Ready reports whether the values are known.
//
//go:norace
func (o *Own) Ready() bool { return o.ready }

// Reader returns the reader of the collector for a run, or why there is none. The reader calls left
// if Read ends its goroutine (runtime.Goexit), and warn, once, if Read panics: then it is not read
// again.
//
//go:norace
func (o *Own) Reader(left func(), warn func(string)) (r *Reader, problem string) {
	o.left, o.warn = left, warn
	return o.reader(o)
}

//go:norace
func (o *Own) newReader() (r *Reader, problem string) {
	if o.bad {
		return nil, "Values must name 1 to 16 values, each once, in lower-case letters, digits and _; left out"
	}
	atomic.StoreUint32(&o.broken, 0)
	return &Reader{Name: o.Name, Values: o.values, Read: o.read}, ""
}

// read is Reader.Read. ok is false if the collector's Read panics, and from then on.
//
//go:norace
func (o *Own) read(_ *Scratch, into []uint64) (where uint64, ok bool) {
	if o.broken != 0 {
		return 0, false
	}
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil {
			o.fail(v)
		} else {
			o.left()
		}
	}()
	o.c.Read(into)
	return 0, true
}

// fail is called when Read has panicked with v.
//
//go:norace
func (o *Own) fail(v any) {
	if !atomic.CompareAndSwapUint32(&o.broken, 0, 1) {
		return
	}
	what := ""
	switch v := v.(type) {
	case string:
		what = ": " + v
	case runtime.Error:
		what = ": " + v.Error()
	}
	o.warn("collector " + o.Name + ": Read panicked" + what + "; it is read no more")
}
