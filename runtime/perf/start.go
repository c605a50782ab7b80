//go:build !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/blocks"
	"github.com/markgen/markgen/runtime/internal/clock"
	"github.com/markgen/markgen/runtime/internal/collect"
	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/goroutine"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/internal/relate"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/wild"
	"github.com/markgen/markgen/runtime/layout"
)

const (
	goos   = runtime.GOOS
	goarch = runtime.GOARCH
)

// Set by start.
var (
	began      clock.Anchor
	conf       settings
	app        string
	reportPath string // absolute where the system allows; "" without report=
)

// cpuTimeBefore is the CPU time that the process had used when the run began, in ns.
var cpuTimeBefore uint64

// readyAt is the tick from which scopes belong to the run; it is began.Tick until the run is ready.
var readyAt uint64

// begin starts this process's run, if MARKGEN asks for one and nothing has been started yet. The
// first Register or the first scope calls it; importing the package does nothing.
//
//go:norace
func begin() {
	if atomic.LoadUint32(&hot.mode) != modeNew {
		return
	}
	starting.Lock()
	begins := hot.mode == modeNew
	if begins {
		hot.window = &always
		value, _ := syscall.Getenv("MARKGEN")
		mode := uint32(modeInert)
		if config.IsSet(value) {
			refused, problem := uint64(0), "MARKGEN: ignored in a program with rights that its caller lacks (setuid, setgid, file capabilities); nothing is collected"
			if !platform.Privileged() {
				refused, problem = start(value, slotSet{})
			}
			switch {
			case problem != "":
				complain(problem)
			case refused == layout.WildPicked:
				fromStart = true
				mode = modeReady
				if tablesAnnounced && !conf.Waits {
					holding = true
				}
			}
			if problem == "" { // a process that declined may be configured later
				atExit(Finish)
			}
		}
		atomic.StoreUint32(&hot.mode, mode)
	}
	run := runs
	starting.Unlock()
	if begins && hot.mode == modeReady {
		if conf.timed() {
			haveTimers(run)
		}
		beginProfile()
	}
}

// configure begins a run in a process that has none, or whose run has ended. The caller has
// acquired starting.
//
//go:norace
func configure(spec string) error {
	never := hot.mode == modeInert && header == nil
	var c settings
	if problem := c.Set(spec); problem != "" {
		return &ConfigError{problem}
	} else if c.TSC && !clock.Usable() {
		return &ConfigError{noTSC()}
	}
	forget()
	fromStart = false
	refused, problem := start(spec, reuse())
	if problem != "" {
		return &ConfigError{problem}
	}
	if never {
		atExit(Finish)
	}
	if refused != layout.WildPicked {
		return &ConfigError{"collect=wild: " + whyWild[refused]}
	}
	finishStart() // markers of an earlier run are not held back until ready
	lock()
	holding = true
	for k := range tables {
		tables[k].open(uint64(k))
	}
	writeHeld()
	for k := range live {
		u := &live[k]
		u.first, u.traced, u.call = now(), 0, firstCall{nsPlus1: notFirst}
		switch w := shared.Load(&u.marker.index); {
		case w&layout.IndexMask != firstIndex+uint32(k): // index of an edge, or its marker's index from before it was sampled: no longer used
		case w&layout.IndexOffChoice != 0 || u.number == 0:
			alias(firstIndex+uint32(k), layout.NoMarker)
		default:
			alias(firstIndex+uint32(k), uint64(u.number))
		}
	}
	atomic.StoreUint32(&hot.mode, modeReady) // before others may register
	unlock()
	complainOfNames()
	if conf.timed() {
		haveTimers(runs)
	}
	return nil
}

// forget discards a run that has ended: it closes the file and clears everything kept by index. Its
// memory stays for a while (retire), as goroutines may be about to add to a cell. The caller has
// acquired starting.
//
//go:norace
func forget() {
	if header == nil {
		return
	}
	timing.Lock()
	atomic.AddUint64(&runs, 1) // timers of the run end
	timing.Unlock()
	lock()
	defer unlock()
	for k := range tables {
		tables[k].keepPages()
		tables[k].turnedOff = true
		if t := tables[k].tallies; t != nil {
			t.number = 0
		}
	}
	file.Close()
	picking.permit.Release()
	atomic.StoreUint32(&hot.mode, modeInert)
	hot.hooks = 0
	hot.window = &beforeRun // nothing is recorded until the next run is ready
	tracing.rings.Close()
	tracing.rings = &noRings
	for i := range shards {
		shards[i] = shard{}
	}
	retire()
	usedShards, talliedBytes, stacks = 0, 0, 0
	searches++ // what it found open is not open in the next run
	holding, written = false, 0
	owners, theTriggers, changes, gates, rated = nil, nil, nil, nil, nil
	reading = nil
	collect.Close()
	pairRows, paths = nil, nil
	atomic.StorePointer(&rateBits, nil)
	atomic.StorePointer(&bases, nil)
	forgetCalls()
	atomic.StorePointer(&aside, nil)
	windowClosed, opensEarly = 0, 0
	anyDemoted, unsettled = false, nil
	budget, levels = budgetState{}, levelLog{}
	theSampler = sampler{}
	sizeCost = 0
	space = blocks.Space{}
	header = unsafe.Pointer(&noHeader)
}

// noHeader is the header between two runs.
var noHeader [layout.HeaderSize / 8]uint64

// ready makes the run ready to record: the first scope calls it, and every change of the state. It
// waits until the clock's rate has been observed for long enough. Collection then begins, unless a
// trigger is to start it.
//
//go:norace
func ready() {
	if atomic.LoadUint32(&hot.mode) != modeReady {
		return
	}
	starting.Lock()
	if hot.mode == modeReady {
		finishStart()
	}
	if hot.mode == modeReady && openCollectors() {
		if !hot.mono {
			for uint64(nanotime())-began.Mono < calibration {
			}
			if hz := clock.Rate(began.Hz(anchorNow())); hz != 0 {
				hot.mult = clock.Multiplier(hz)
				setHeader(layout.OffHz, hz)
				setCosts()
			}
		}
		lock()
		writeHeld()
		unlock()
		readyAt = now()
		beginBudget()
		if hot.window = &beforeRun; !conf.Waits {
			hot.window = ownWindow()
		}
		if !conf.Waits && atomic.CompareAndSwapUint64(headerWord(layout.OffState), layout.StateConfigured, layout.StateProfiling) {
			t := now()
			setHeader(layout.OffSince, t)
			logChange(t, layout.StateConfigured, layout.StateProfiling, causeBegin, 0)
		}
		atomic.StoreUint32(&hot.mode, modeOn)
		lock()
		for k := range tables { // later tables are shared when they are registered
			tables[k].sharePages(uint64(k))
		}
		unlock()
	}
	starting.Unlock()
}

// finishStart does the part of start that can wait until the first scope, which waits for the clock
// anyway. The caller has acquired starting.
func finishStart() {
	if rounds == enoughRounds {
		return
	}
	calibrate()
	setHeaderText(layout.OffCPU, layout.SizeCPU, clock.Model())
}

func noTSC() string {
	return config.KeyError("clock", "cannot be tsc: this machine has none that can be relied on; give mono or leave it out")
}

// start makes a run with the settings in value, which has the form of MARKGEN. problem is an error
// message, or "". refused is one of the Wild… constants: why a process with collect=wild declines
// to collect, or WildPicked. spare are slots of an earlier run, if there are any.
//
//go:norace
func start(value string, spare slotSet) (refused uint64, problem string) {
	datafile.OnWrite = collect.Wrote
	began = anchorNow()
	wall := platform.WallNS()
	var c settings
	problem = c.Set(value)
	usable := clock.Usable()
	if problem == "" && c.TSC && !usable {
		problem = noTSC()
	}
	if problem == "" && c.Collects("trace") && !hasG {
		problem = config.KeyError("collect", "cannot be trace on this platform, where goroutines can't be distinguished; leave it out")
	}
	number := uintptr(0)
	if hasG {
		if number, hasState = goroutine.Offset(getg()); number == 0 && problem == "" {
			problem = "goroutines can't be distinguished in a program of " + runtime.Version() + "; nothing is collected"
		}
		prepareRecovered()
	}
	if problem == "" && c.Budget != 0 && (!hasG || !datafile.CanShare(pageSize)) {
		problem = config.KeyError("budget", "cannot be kept on this system, where markers can't be demoted; leave it out")
	}
	if problem == "" {
		problem = c.readListed()
	}
	var history wild.History
	if problem == "" && c.Known != "" {
		history, problem = readHistory(c.Known)
	}
	if problem != "" {
		return 0, problem
	}
	conf = c
	app = platform.AppName()
	pid := syscall.Getpid()
	reportPath = ""
	if c.Report != "" && c.Report != "stderr" {
		reportPath = datafile.Absolute(expand(c.Report, app, pid, wall))
	}
	var piece []byte // the first piece of the file
	if c.Spool != "" {
		// The address of a process's stack is random on most systems; the time and the pid differ
		// in any case.
		number := random.Mix(wall<<20 ^ ticks() ^ uint64(pid)<<44 ^ uint64(uintptr(unsafe.Pointer(&pid))))
		dir := datafile.Absolute(c.Spool)
		if piece, problem = openFile(dir+"/"+layout.SpoolRun+string(lite.AppendHex(nil, number))+layout.DataExt, dir); piece == nil {
			return 0, config.KeyError("spool", problem) // without the file, nobody would find its data
		}
	}
	if c.File != "" {
		path := expand(c.File, app, pid, wall)
		if piece, problem = openFile(path, ""); piece == nil {
			lost := "; collecting in memory only"
			if c.Report == "" {
				lost += ", of which nothing is left at the end; give report=PATH for a table of it"
			}
			complain(`MARKGEN: key "file": ` + path + ": " + problem + lost)
		}
	}
	if locked == nil {
		locked = (*mutex.Mutex)(arena.New(layout.BlockAlign))
	}
	if locked == nil {
		return 0, "no memory for the cells; nothing is collected"
	}
	lock() // goroutines may be in scopes of an earlier run
	room := true
	if hasG {
		slots := firstSlots(spare)
		if room = slots != nil; room {
			hot.slots, hot.goid = slots, number
		}
		followEnds()
	}
	if room {
		header = space.Open(&file, piece, &arena, complain)
		room = header != nil
	}
	if live == nil {
		live = make([]use, 0, roomFor)
	}
	owners = make([]*slot, 0, roomOf)
	unlock()
	if !room {
		return 0, "no memory for the cells; nothing is collected"
	}
	hot.self = hasG && (!c.NoSelf || c.Callers || c.Paths > 0 || c.Adapt || c.Pairs || c.Outermost || c.Collects("trace") || c.Reads())
	hot.mono = c.Mono || !usable
	hz, kind := uint64(1e9), uint64(layout.ClockMono)
	if !hot.mono {
		kind = clock.Kind
		if hz = began.Hz(anchorNow()); hz == 0 { // ready measures the rate again
			hot.mono = true
			hz, kind = 1e9, layout.ClockMono
		}
	}
	hot.mult = clock.Multiplier(hz)
	if hot.mono {
		began.Tick = began.Mono
	}
	readyAt = began.Tick
	setHeader(layout.OffState, layout.StateConfigured)
	setHeader(layout.OffSince, began.Tick)
	setHeader(layout.OffPID, uint64(pid))
	setHeader(layout.OffStartWall, wall)
	setHeader(layout.OffStartMono, began.Mono)
	setHeader(layout.OffStartTick, began.Tick)
	cpuTimeBefore, _ = platform.CPUTime()
	setHeader(layout.OffClock, kind)
	setHeader(layout.OffHz, hz)
	setHeader(layout.OffProcs, uint64(runtime.GOMAXPROCS(0)))
	if c.NoSelf || !hot.self {
		setHeader(layout.OffFlags, layout.FlagNoSelf)
	}
	if c.Countdown {
		setHeader(layout.OffFlags, atomic.LoadUint64(headerWord(layout.OffFlags))|layout.FlagCountdown)
	}
	if c.Collects("trace") {
		startTrace()
	}
	setHeaderText(layout.OffApp, layout.SizeApp, app)
	setHeaderText(layout.OffGo, layout.SizeGo, runtime.Version())
	setHeaderText(layout.OffGOOS, layout.SizeGOOS, goos)
	setHeaderText(layout.OffGOARCH, layout.SizeGOARCH, goarch)
	main, version := platform.Build(modinfo())
	setHeaderText(layout.OffMain, layout.SizeMain, main)
	setHeaderText(layout.OffBuild, layout.SizeBuild, version)
	setHeaderText(layout.OffConfig, layout.SizeConfig, value)
	if c.Wild {
		if refused = beginWild(history); refused != layout.WildPicked {
			decline()
			return refused, ""
		}
	}
	setHeader(layout.OffTriggers, c.bits())
	setHeader(layout.OffSampleN, c.Sample)
	setHeader(layout.OffWindowWidth, noWindow)
	atomic.AddUint64(&runs, 1)
	beginTriggers()
	if (c.Callers || c.Adapt) && hot.self {
		if edges = (*relate.Edges)(arena.New(unsafe.Sizeof(*edges))); edges != nil {
			hot.hooks |= hookEdge
		}
	}
	if c.Paths > 0 && (!hot.self || !openPaths()) {
		complain("paths cannot be recorded: goroutines can't be distinguished, or no memory; they are left out")
	}
	if c.Pairs && hot.self {
		setHeader(layout.OffFlags, atomic.LoadUint64(headerWord(layout.OffFlags))|layout.FlagPairs)
		hot.hooks |= hookPairs
	}
	if c.Enough != 0 || c.Calls != 0 {
		hot.hooks |= hookLimit
	}
	hot.again = noLook
	budget.due = noLook
	if c.Reads() { // timing a scope costs about four times as much
		c.Demote = (c.Demote + 3) / 4
		conf.Demote = c.Demote
	}
	if hot.look = c.look(); hot.look != noLook { // demoting allocates nothing
		unsettled = make([]*Marker, 0, roomFor)
	}
	lock()
	if changes = space.New(layout.BlockLog, 0, layout.OffLogData+layout.LogRoom*layout.LogSize); changes != nil {
		space.Publish(changes)
	}
	unlock()
	rounds = 0
	calibrate()
	if c.windows() {
		setHeader(layout.OffWindowWidth, 0)
	}
	return 0, ""
}
