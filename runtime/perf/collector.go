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

// A Collector reads numbers that only grow, such as the bytes a cache has handed
// out so far. It is read at both ends of every scope, and what the numbers have
// grown by in between is added up by marker, beside the times:
//
//	func init() { perf.RegisterCollector("cache", cacheCounters{}) }
//
// A program so prepared collects them with MARKGEN=collect=time+cache.
type Collector interface {
	// Values names the numbers in the order in which Read gives them, 16 at most, in
	// lower-case letters, digits and _. A name that ends in _bytes or _ns says its
	// unit, others are counts. RegisterCollector calls it once.
	Values() []string

	// Read stores the numbers of this moment, one for each name. It is called by
	// the goroutine whose scope begins or ends, by many of them at once, and should
	// neither allocate nor wait. What it takes is not counted as the program's time.
	// Scopes are not opened in it: marked functions that it calls are counted. If it
	// panics, the collector is read no more, and the program does not notice. into is
	// valid until Read returns.
	Read(into []uint64)
}

// mostOwnValues is how many values a program's collector has at most.
const mostOwnValues = 16

// A registered is a collector of the program.
type registered struct {
	name   string
	c      Collector
	values []string
	ready  bool   // it has been asked for its values
	bad    bool   // these can't be
	broken uint32 // Read has panicked in this run
}

// program has the program's own. It is guarded by starting.
var program struct {
	n    int
	list [mostOwn]registered
}

// mostOwn is how many collectors a program can register. MostCollectors of them are read in a run.
const mostOwn = 64 // said in words below

// RegisterCollector gives the program's collector a name, in lower-case letters,
// digits and _, by which MARKGEN can ask for it. It is to be called while the
// packages of the program are initialised, from an init function or a package
// variable. Of two with one name the first counts.
//
//go:norace
func RegisterCollector(name string, c Collector) {
	begin()
	trouble := ""
	switch {
	case config.BuiltIn(name), name == collect.ProcessAlloc:
		trouble = "the name is markgen's own; register it under another"
	case !config.IsName(name):
		trouble = "a name has lower-case letters, digits and _; register it under another"
	case c == nil:
		trouble = "there is none, RegisterCollector was given nil"
	}
	var r *registered
	if trouble == "" {
		r, trouble = announce(name, c)
	}
	if trouble != "" {
		if collects() {
			complain("collector " + name + ": " + trouble)
		}
		return
	}
	values, ok := valuesOf(c) // may pass markers, and so come back to starting
	ok = ok && len(values) > 0 && len(values) <= mostOwnValues
	for i := range values {
		ok = ok && config.IsName(values[i])
		for k := range i {
			ok = ok && values[k] != values[i]
		}
	}
	acquire(&starting)
	r.values, r.bad, r.ready = values, !ok, true
	release(&starting)
}

// announce puts the collector on the list, or says why it cannot be there.
//
//go:norace
func announce(name string, c Collector) (r *registered, trouble string) {
	acquire(&starting)
	defer release(&starting)
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

// ownCollector finds the program's collector of that name, or gives nil. The caller
// has starting.
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

// valuesOf asks for the names; ok is false if that panics.
func valuesOf(c Collector) (values []string, ok bool) {
	defer func() {
		if !ok {
			recover()
		}
	}()
	values = c.Values()
	return values, true
}

// read is collect.Reader's Read of the program's collector; ok is false if that panics, and from then on.
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

// fail is called when Read has panicked.
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

// A plan is what a run reads at scopes. It does not change once scopes are opened.
type plan struct {
	collect.Plan
	clock  uint64 // cost of reading the clock, ticks<<costBits
	shards [layout.MaxShards + 1]*directory[collect.Block]
}

// reading is the plan of the run, nil: nothing is read. plans are those of all runs:
// goroutines that are in scopes of an earlier one still go by its plan.
var (
	reading *plan
	plans   []*plan
)

// openCollectors makes ready what collect= asks for besides time, when the first
// scope is to be opened. False: no scope can be, since the program is still being
// initialised and may register a collector yet, or ever, since there is no such
// collector. The caller has starting.
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
		complain("collect=" + conf.Collect + ": goroutines can't be told apart on " + goos + "/" + goarch + "; only time is collected")
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
		r, missing := c.Open(collect.Process{Lock: lock, Unlock: unlock, Memory: anonymous})
		for _, what := range missing {
			complain("collect=" + c.Name + ": " + what + "; left out")
		}
		p.add(r)
	}
	lock()
	described := p.Describe(&blocks)
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

// closeCollectors ends what openCollectors began.
func closeCollectors() {
	reading = nil
	collect.Close()
}

// missing looks for the names in collect=. wait: one is not there, and may be when
// the packages are initialised. unknown is one that will not be. The caller has
// starting.
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

// initialising says whether the calling goroutine initialises packages. The Go
// runtime does that with doInit1 (runtime/proc.go) on the stack.
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

// giveUp makes a process inert that had begun: a name in collect= turned out to be
// unknown when the first scope was to be opened. The data file has nothing and goes.
// The caller has starting.
//
//go:norace
func giveUp(unknown string) {
	complain(conf.NoCollector(unknown))
	lock()
	setHeader(layout.OffState, layout.StateUnconfigured)
	atomic.StoreUint32(&hot.mode, modeInert)
	atomic.AddUint64(&runs, 1) // what waits for some time to pass ends
	for i := range tables {
		tables[i].turnOff(layout.OffByState)
		tables[i].countIf(false)
	}
	setHeaderText(layout.OffConfig, layout.SizeConfig, "") // a keeper takes the file for one that was never begun
	space.file.Remove()
	unlock()
}

// abandoned says whether the process is inert. If no scope was opened before its
// end, that may be seen now.
//
//go:norace
func abandoned() bool {
	acquire(&starting)
	defer release(&starting)
	if atomic.LoadUint32(&hot.mode) == modeReady {
		if _, unknown := missing(); unknown != "" {
			giveUp(unknown)
		}
	}
	return !collects()
}
