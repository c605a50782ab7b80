//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/internal/goroutine"
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

// program has the program's collectors. It is guarded by starting.
var program collect.Owns

// RegisterCollector registers a collector under a name, in lower-case letters, digits and _, by
// which MARKGEN can ask for it. It must be called while the program's packages are initialised,
// from an init function or a package variable. Of two collectors with one name, the first is used.
//
//go:norace
func RegisterCollector(name string, c Collector) {
	begin()
	starting.Lock()
	own, problem := program.Add(name, c)
	starting.Unlock()
	if problem != "" {
		if collects() {
			complain("collector " + name + ": " + problem)
		}
		return
	}
	values, ok := own.AskValues() // may execute markers, and so come back to starting
	starting.Lock()
	own.SetValues(values, ok)
	starting.Unlock()
}

// leftRead is called when the goroutine ends while a program's collector is being read.
//
//go:norace
func leftRead() {
	if p := ownSlot(); p != nil {
		p.stack = p.stack.scopes()
	}
}

// A plan is the list of collectors that a run reads at scopes. It does not change once scopes are
// opened.
type plan struct {
	collect.Plan
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
	all := program.All()
	for i := range all {
		if !conf.Collects(all[i].Name) {
			continue
		}
		r, problem := all[i].Reader(leftRead, complain)
		if problem != "" {
			complain("collector " + all[i].Name + ": " + problem)
			continue
		}
		p.add(r)
	}
	for i := range collect.Collectors {
		c := &collect.Collectors[i]
		if !conf.Collects(c.Name) {
			continue
		}
		r, missing := c.Open(&process)
		for _, what := range missing {
			complain("collect=" + c.Name + ": " + what + "; left out")
		}
		p.add(r)
	}
	lock()
	described := p.Describe(&space)
	unlock()
	if described {
		plans = append(plans, p)
		reading = p
		hot.hooks |= hookRead
	}
	return true
}

// process is this package for collectors.
var process = collect.Process{
	Lock:   lock,
	Unlock: unlock,
	Memory: func(size uintptr) unsafe.Pointer { return arena.New(size) },
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
		own := program.Named(name)
		if own == nil && !goroutine.Initialising() {
			return false, name
		}
		wait = wait || own == nil || !own.Ready()
	}
	return wait, ""
}

// add adds a collector, if there is room.
//
//go:norace
func (p *plan) add(r *collect.Reader) {
	if !p.Add(r) {
		complain("collector " + r.Name + ": 8 collectors and 64 values are read at most; left out")
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
