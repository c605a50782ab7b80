//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/layout"
)

// A Collector reads numbers that only grow, such as the bytes a cache has handed out so far. It is
// read at both ends of every scope, and the growth of the numbers in between is added up by marker,
// beside the times:
//
//	func init() { perf.RegisterCollector("cache", cacheCounters{}) }
//
// Such a program collects them with MARKGEN=collect=time+cache.
type Collector interface {
	// Values returns the names of the numbers in the order in which Read stores them, 16 at most,
	// in lower-case letters, digits and _. The suffixes _bytes and _ns give the unit, other names
	// are counts. RegisterCollector calls it once.
	Values() []string

	// Read stores the current numbers, one for each name. It is called by the goroutine whose scope
	// begins or ends, concurrently on many goroutines, and should neither allocate nor block. Its
	// time is not counted as the program's. No scopes are opened in it: marked functions that it
	// calls are only counted. If it panics, the collector is no longer read, and the program is not
	// affected. into is valid until Read returns.
	Read(into []uint64)
}

// maxOwnValues is the maximum number of values of a program's collector.
const maxOwnValues = 16

// A registered is a collector that the program has registered.
type registered struct {
	name   string
	c      Collector
	values []string
	ready  bool   // Values has been called
	bad    bool   // Values returned an invalid result
	broken uint32 // Read has panicked in this run
}

// program has the program's collectors. It is guarded by starting.
var program struct {
	n    int
	list [maxRegistered]registered
}

// maxRegistered is how many collectors a program can register. A run reads at most MaxCollectors
// of them.
const maxRegistered = 64 // a message in announce names it

// RegisterCollector registers a collector under a name, in lower-case letters, digits and _, by
// which MARKGEN can ask for it. It must be called while the program's packages are initialised,
// from an init function or a package variable. Of two collectors with one name, the first is used.
//
//go:norace
func RegisterCollector(name string, c Collector) {
	begin()
	problem := ""
	switch {
	case config.BuiltIn(name), name == collect.ProcessAlloc:
		problem = "the name is markgen's own; register it under another"
	case !config.IsName(name):
		problem = "a name has lower-case letters, digits and _; register it under another"
	case c == nil:
		problem = "there is none, RegisterCollector was given nil"
	}
	var r *registered
	if problem == "" {
		r, problem = announce(name, c)
	}
	if problem != "" {
		if collects() {
			complain("collector " + name + ": " + problem)
		}
		return
	}
	values, ok := valuesOf(c) // may execute markers, and so come back to starting
	ok = ok && len(values) > 0 && len(values) <= maxOwnValues
	for i := range values {
		ok = ok && config.IsName(values[i])
		for k := range i {
			ok = ok && values[k] != values[i]
		}
	}
	starting.Lock()
	r.values, r.bad, r.ready = values, !ok, true
	starting.Unlock()
}

// announce adds the collector to the list, or returns why it cannot.
//
//go:norace
func announce(name string, c Collector) (r *registered, problem string) {
	starting.Lock()
	defer starting.Unlock()
	switch {
	case ownCollector(name) != nil:
		return nil, "registered a second time; the first counts"
	case program.n == len(program.list):
		return nil, "64 are registered, which is all that there is room for; it is left out"
	}
	r = &program.list[program.n]
	r.name, r.c = name, c
	program.n++
	return r, ""
}

// ownCollector returns the program's collector of that name, or nil. The caller has acquired
// starting.
//
//go:norace
func ownCollector(name string) *registered {
	for i := range program.n {
		if r := &program.list[i]; r.name == name {
			return r
		}
	}
	return nil
}

// valuesOf returns the names of c's values; ok is false if c.Values panics.
func valuesOf(c Collector) (values []string, ok bool) {
	defer func() {
		if !ok {
			recover()
		}
	}()
	values = c.Values()
	return values, true
}

// read is collect.Reader's Read for the program's collector; ok is false if Read panics, and from
// then on.
//
//go:norace
func (r *registered) read(_ *collect.Scratch, into []uint64) (where uint64, ok bool) {
	if r.broken != 0 {
		return 0, false
	}
	defer func() {
		if ok {
			return
		}
		if v := recover(); v != nil {
			r.fail(v)
		} else if p := ownSlot(); p != nil { // runtime.Goexit
			p.stack = p.stack.scopes()
		}
	}()
	r.c.Read(into)
	return 0, true
}

// fail is called when Read has panicked with v.
//
//go:norace
func (r *registered) fail(v any) {
	if !atomic.CompareAndSwapUint32(&r.broken, 0, 1) {
		return
	}
	what := ""
	switch v := v.(type) {
	case string:
		what = ": " + v
	case runtime.Error:
		what = ": " + v.Error()
	}
	complain("collector " + r.name + ": Read panicked" + what + "; it is read no more")
}

// A plan is the list of collectors that a run reads at scopes. It does not change once scopes are
// opened.
type plan struct {
	collect.Plan
	clock  uint64     // cost of reading the clock, ticks<<costBits
	shards readBlocks // of markers
	paths  readBlocks
}

// reading is the plan of the run, nil if nothing is read. plans has the plans of all runs:
// goroutines in scopes of an earlier run still use its plan.
var (
	reading *plan
	plans   []*plan
)

// openCollectors opens the collectors in collect= besides time, before the first scope is opened.
// It returns false if no scope can be opened: not yet, since the program is still being initialised
// and may register a collector, or never, since a collector does not exist. The caller has acquired
// starting.
//
//go:norace
func openCollectors() bool {
	if !conf.Reads() {
		return true
	}
	wait, unknown := missing()
	if unknown != "" {
		giveUp(unknown)
	}
	if wait || unknown != "" {
		return false
	}
	if hot.slots == nil {
		complain("collect=" + conf.Collect + ": goroutines can't be distinguished on " + goos + "/" + goarch + "; only time is collected")
		return true
	}
	p := &plan{}
	for i := range program.n {
		if r := &program.list[i]; conf.Collects(r.name) {
			if r.bad {
				complain("collector " + r.name + ": Values must name 1 to 16 values, each once, in lower-case letters, digits and _; left out")
				continue
			}
			atomic.StoreUint32(&r.broken, 0)
			p.add(collect.Reader{Name: r.name, Values: r.values, Read: r.read})
		}
	}
	for _, c := range collect.Collectors {
		if !conf.Collects(c.Name) {
			continue
		}
		r, missing := c.Open(collect.Process{Lock: lock, Unlock: unlock, Memory: arena.New})
		for _, what := range missing {
			complain("collect=" + c.Name + ": " + what + "; left out")
		}
		p.add(r)
	}
	lock()
	described := p.Describe(&planBlocks)
	unlock()
	if described {
		a := now()
		for range batch {
			now()
		}
		p.clock = (now() - a) << costBits / (batch + 1)
		plans = append(plans, p)
		reading = p
		hot.hooks |= hookRead
	}
	return true
}

// closeCollectors reverses openCollectors.
func closeCollectors() {
	reading = nil
	collect.Close()
}

// missing looks up the names in collect=. wait says that one is not registered and may be while
// packages are initialised. unknown is a name that will not be. The caller has acquired starting.
//
//go:norace
func missing() (wait bool, unknown string) {
	for rest := conf.Collect; rest != ""; {
		var name string
		name, rest = lite.Cut(rest, '+')
		if config.BuiltIn(name) {
			continue
		}
		r := ownCollector(name)
		if r == nil && !initialising() {
			return false, name
		}
		wait = wait || r == nil || !r.ready
	}
	return wait, ""
}

// add adds a collector, if there is room.
//
//go:norace
func (p *plan) add(r collect.Reader) {
	if !p.Add(r) {
		complain("collector " + r.Name + ": 8 collectors and 64 values are read at most; left out")
	}
}

// initialising reports whether the calling goroutine is initialising packages, for which the Go
// runtime uses doInit1 (runtime/proc.go).
func initialising() bool {
	pcs := make([]uintptr, 256)
	for skip := 0; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		for frames := runtime.CallersFrames(pcs[:n]); n > 0; {
			f, more := frames.Next()
			if f.Function == "runtime.doInit1" || f.Function == "runtime.doInit" {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// giveUp makes a process that had begun inert: a name in collect= turned out to be unknown when the
// first scope was to be opened. The data file is empty and is removed. The caller has acquired
// starting.
//
//go:norace
func giveUp(unknown string) {
	complain(conf.NoCollector(unknown))
	lock()
	setHeader(layout.OffState, layout.StateUnconfigured)
	atomic.StoreUint32(&hot.mode, modeInert)
	atomic.AddUint64(&runs, 1) // its timers end
	for i := range tables {
		tables[i].turnOff(layout.OffByState)
		tables[i].countIf(false)
	}
	setHeaderText(layout.OffConfig, layout.SizeConfig, "") // a keeper treats the file as never begun
	file.Remove()
	unlock()
}

// abandoned reports whether the process is inert. If no scope was opened before the end of the
// process, unknown collectors are only noticed here.
//
//go:norace
func abandoned() bool {
	starting.Lock()
	defer starting.Unlock()
	if atomic.LoadUint32(&hot.mode) == modeReady {
		if _, unknown := missing(); unknown != "" {
			giveUp(unknown)
		}
	}
	return !collects()
}
