//go:build !markgen_off

package runtime

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	goos   = runtime.GOOS
	goarch = runtime.GOARCH
)

// conf, app, the report's place and the moment of the start are set once by
// start.
var (
	began      anchor
	conf       config
	app        string
	reportPath string // absolute where the system tells; "" without report=
)

// begin starts this process's run, if MARKGEN asks for one and nothing has been
// started yet. All work is done here, on the first Register or the first scope:
// importing the package does nothing.
//
//go:norace
func begin() {
	if atomic.LoadUint32(&hot.mode) != modeNew {
		return
	}
	acquire(&starting)
	begins := hot.mode == modeNew
	if begins {
		hot.window = &always
		value, _ := syscall.Getenv("MARKGEN")
		mode := uint32(modeInert)
		if value != "" {
			refused, trouble := start(value)
			switch {
			case trouble != "":
				complain(trouble)
			case refused == WildPicked:
				fromStart = true
				mode = modeReady
			}
			if trouble == "" { // who has declined may be configured later
				atExit(Finish)
			}
		}
		atomic.StoreUint32(&hot.mode, mode)
	}
	release(&starting)
	if begins && hot.mode == modeReady && conf.timed() {
		go timers(runs)
	}
}

// configure begins a run in a process that has none, or had one that is over. The
// caller has starting.
//
//go:norace
func configure(spec string) error {
	never := hot.mode == modeInert && header == nil
	if c, trouble := parseConfig(spec); trouble != "" {
		return &ConfigError{trouble}
	} else if c.tsc && !ticksUsable() {
		return &ConfigError{noTSC()}
	}
	forget()
	fromStart = false
	refused, trouble := start(spec)
	if trouble != "" {
		return &ConfigError{trouble}
	}
	if never {
		atExit(Finish)
	}
	if refused != WildPicked {
		return &ConfigError{"collect=wild: " + whyWild[refused]}
	}
	lock()
	for k := range tables {
		tables[k].open(uint64(k))
	}
	for k, m := range live {
		firstPassages[k] = firstPassage{took: notFirst}
		if w := loadWord(&m.index); w&IndexOffChoice != 0 || numbers[k] == 0 {
			alias(firstIndex+uint32(k), NoMarker)
		} else {
			alias(firstIndex+uint32(k), uint64(numbers[k]))
		}
		firsts[k] = now()
	}
	unlock()
	hot.window = &first
	atomic.StoreUint32(&hot.mode, modeReady)
	complainOfTriggers()
	if conf.timed() {
		go timers(runs)
	}
	return nil
}

// forget takes leave of a run that is over: its file is nobody's any more, and
// what is recorded by index begins anew. Who records at this moment still does so
// to the old file, which stays mapped. The caller has starting.
//
//go:norace
func forget() {
	if header == nil {
		return
	}
	lock()
	defer unlock()
	for k := range tables {
		tables[k].keepPages()
		tables[k].shut = true
	}
	releaseFile()
	leavePlace()
	atomic.StoreUint32(&hot.mode, modeInert)
	hot.extras = 0
	hot.window = &always
	for i := range shards {
		shards[i].dir, shards[i].sizes = nil, nil
	}
	forgetSlots()
	usedShards, talliedBytes, stacks = 0, 0, 0
	owners, triggers, changes, gates, rated = nil, nil, nil, nil, nil
	reading, pairRows = nil, nil
	noWait()
	atomic.StorePointer(&rateBits, nil)
	windowClosed = 0
	theSampler = sampler{}
	tickers, tickersOn, tickOpen = nil, 0, 0
	firstProfiling = 0
	space.next, space.free, space.pieces, space.inFile = nil, 0, nil, false
	atomic.AddUint64(&runs, 1) // timers of the run end
	header = unsafe.Pointer(&noHeader)
}

// noHeader is what is read as a header by who has seen that there was one, a moment
// before there is none.
var noHeader [HeaderSize / 8]uint64

// ready lets scopes be opened: the first of them comes here, and what changes the
// state. The rate of the clock has been observed since the start and is for long
// enough now, or soon. Unless a trigger is to do that, collection begins.
//
//go:norace
func ready() {
	if atomic.LoadUint32(&hot.mode) != modeReady {
		return
	}
	acquire(&starting)
	if hot.mode == modeReady && openCollectors() {
		if !hot.mono {
			for uint64(nanotime())-began.mono < calibration {
			}
			if hz := measureHz(began); hz != 0 {
				hot.mult = multFor(hz)
				setHeader(OffHz, hz)
			}
		}
		hot.window = (*window)(unsafe.Pointer(headerWord(OffWindowFrom)))
		if !conf.waits && atomic.CompareAndSwapUint64(headerWord(OffState), StateConfigured, StateProfiling) {
			t := now()
			setHeader(OffSince, t)
			logChange(t, StateConfigured, StateProfiling, causeBegin, 0)
		}
		atomic.StoreUint32(&hot.mode, modeOn)
		lock()
		for k := range tables { // those to come are shared when they come
			tables[k].sharePages(uint64(k))
		}
		unlock()
	}
	release(&starting)
}

func noTSC() string {
	return refuse("clock", "cannot be tsc: this machine has none that can be relied on; give mono or leave it out")
}

// start makes a run ready as the value of MARKGEN says, or says what is wrong with
// it. Or, which is refused, the process declines to collect: one of Wild….
//
//go:norace
func start(value string) (refused uint64, trouble string) {
	began = takeAnchor()
	wall := wallNS()
	c, trouble := parseConfig(value)
	usable := ticksUsable()
	if trouble == "" && c.tsc && !usable {
		trouble = noTSC()
	}
	if trouble == "" && c.collects("trace") && !hasG {
		trouble = refuse("collect", "cannot be trace on this platform, where goroutines can't be told apart; leave it out")
	}
	if trouble == "" {
		trouble = c.readListed()
	}
	var k known
	if trouble == "" && c.known != "" {
		k, trouble = readKnown(c.known)
	}
	if trouble != "" {
		return 0, trouble
	}
	conf = c
	app = appName()
	pid := syscall.Getpid()
	reportPath = ""
	if c.report != "" && c.report != "stderr" {
		reportPath = absolute(expand(c.report, app, pid, wall))
	}
	var first unsafe.Pointer
	if c.spool != "" {
		if first, trouble = openSpooled(wall, pid); trouble != "" {
			return 0, trouble
		}
	}
	if c.file != "" {
		path := expand(c.file, app, pid, wall)
		if first, trouble = openFile(path); first == nil {
			complain(`MARKGEN: key "file": ` + path + ": " + trouble + "; collecting in memory only")
		}
	}
	if locked == nil {
		locked = (*uint32)(anonymous(BlockAlign))
	}
	if locked == nil || !openSpace(first) {
		return 0, "no memory for the cells; nothing is collected"
	}
	hot.slots = nil
	if hasG {
		hot.slots = firstSlots()
		followEnds()
	}
	hot.self = hot.slots != nil && (!c.noself || c.callers || c.adapt || c.pairs || c.outermost || c.collects("trace") || c.reads())
	hot.mono = c.mono || !usable
	hz, kind := uint64(1e9), uint64(ClockMono)
	if !hot.mono {
		kind = hardwareClock
		if hz = measureHz(began); hz == 0 { // ready knows better
			hot.mono = true
			hz, kind = 1e9, ClockMono
		}
	}
	hot.mult = multFor(hz)
	if hot.mono {
		began.tick = began.mono
	}
	setHeader(OffState, StateConfigured)
	setHeader(OffSince, began.tick)
	setHeader(OffPID, uint64(pid))
	setHeader(OffStartWall, wall)
	setHeader(OffStartMono, began.mono)
	setHeader(OffStartTick, began.tick)
	setHeader(OffClock, kind)
	setHeader(OffHz, hz)
	setHeader(OffProcs, uint64(runtime.GOMAXPROCS(0)))
	if c.noself || !hot.self {
		setHeader(OffFlags, FlagNoSelf)
	}
	tracing.ends = nil
	if c.collects("trace") {
		startTrace()
	}
	setHeaderText(OffApp, SizeApp, app)
	setHeaderText(OffGo, SizeGo, runtime.Version())
	setHeaderText(OffGOOS, SizeGOOS, goos)
	setHeaderText(OffGOARCH, SizeGOARCH, goarch)
	setHeaderText(OffCPU, SizeCPU, cpuModel())
	main, version := build(modinfo())
	setHeaderText(OffMain, SizeMain, main)
	setHeaderText(OffBuild, SizeBuild, version)
	setHeaderText(OffConfig, SizeConfig, value)
	if c.wild {
		if refused = beginWild(k); refused != WildPicked {
			decline()
			return refused, ""
		}
	}
	setHeader(OffTriggers, c.bits())
	setHeader(OffSampleN, c.sample)
	setHeader(OffWindowWidth, noWindow)
	hot.window = (*window)(unsafe.Pointer(headerWord(OffWindowFrom)))
	atomic.AddUint64(&runs, 1)
	beginTriggers()
	if (c.callers || c.adapt) && hot.self && firstEdges() {
		hot.extras |= extraEdge
	}
	if c.pairs && hot.self {
		setHeader(OffFlags, atomic.LoadUint64(headerWord(OffFlags))|FlagPairs)
		hot.extras |= extraPairs
	}
	if c.enough != 0 || c.calls != 0 {
		hot.extras |= extraLimit
	}
	if hasG { // what takes the lock that calibrate is called with is done before
		if p := find(getg()); p != nil && p.stack.room == 0 {
			p.grow()
		}
	}
	lock()
	if changes = newBlock(BlockLog, 0, OffLogData+LogRoom*LogSize); changes != nil {
		publish(changes)
	}
	kept := hot.extras
	hot.extras &= extraTrace | extraUntimed
	calibrate()
	hot.extras = kept
	unlock()
	hot.ticked = measureTicks()
	if c.windows() {
		setHeader(OffWindowWidth, 0)
	}
	return 0, ""
}

// scratch is the cell that calibration records to; scratchDirectory leads there.
var (
	scratch          cell
	scratchGroup     group
	scratchDirectory struct {
		n     uint64
		cells [scratchIndex + 1]*cell
	}
)

// calibrate measures what reading the clock and passing a scope cost, with the
// very code the program runs. What is measured is not an empty scope but what one
// adds to a function of some 20 ns: processors do part of a scope's work while
// other work waits for its results, and read the clock before all that stands
// before it is done. Medians of many small batches, since the best is better than
// what programs get; the second of two, unless other processes have disturbed that.
// The caller holds the lock, so nobody else makes a directory
// meanwhile.
//
//go:norace
//go:nocheckptr
func calibrate() {
	scratchDirectory.n = scratchIndex + 1
	scratchDirectory.cells[scratchIndex] = &scratch
	for i := range scratch.groups {
		scratch.groups[i].p = &scratchGroup
	}
	scratch.k = NumBuckets
	m := Marker{index: scratchIndex}

	step := quantum()
	pid := procPin()
	if uint(pid) >= MaxShards {
		procUnpin()
		return
	}
	kept := shards[pid].dir
	shards[pid].dir = (*directory[cell])(unsafe.Pointer(&scratchDirectory))
	useScratchRing(pid)
	var read, whole, opened, inside batches
	measureScopes(&m, &read, &whole, &opened, &inside) // warms up, and what comes is corrected as the program will be
	hot.inside, hot.whole, hot.opened = inside.median(), whole.median(), opened.median()
	measureScopes(&m, &read, &whole, &opened, &inside)
	point := uint64(0)
	if hot.extras&extraTrace != 0 {
		point = measurePoints(&m)
	}
	inner := uint64(0)
	if conf.outermost {
		inner = measureInner(&m)
	}
	shards[pid].dir = kept
	leaveScratchRing(pid)
	procUnpin()
	hot.inside = undisturbed(inside.median(), hot.inside)
	hot.whole, hot.opened = undisturbed(whole.median(), hot.whole), undisturbed(opened.median(), hot.opened)
	setTraceCosts(point)
	hot.inner = inner
	setHeader(OffQuantum, toPS(step))
	setHeader(OffRead, toPS(read.median())>>costBits)
	setHeader(OffInside, toPS(hot.inside)>>costBits)
	setHeader(OffWhole, toPS(hot.opened)>>costBits)
}

// undisturbed is what was measured, or if that is much more than before what was
// measured before.
func undisturbed(now, before uint64) uint64 {
	if now > before+before/4 {
		return before
	}
	return now
}

// batches are costs that have been measured, ticks<<costBits.
type batches [15]uint64

const batch = 64

// median sorts what it is the median of.
func (b *batches) median() uint64 {
	sortBy(len(b), func(i, j int) bool { return b[i] < b[j] }, func(i, j int) { b[i], b[j] = b[j], b[i] })
	return b[len(b)/2]
}

// measureScopes measures what a clock read, a Scope and an opened scope cost, and
// what of it a scope measures as its own.
//
//go:norace
func measureScopes(m *Marker, read, whole, opened, inside *batches) {
	x := uint64(1)
	for i := range read {
		a := now()
		for range batch {
			now()
		}
		b := now()
		read[i] = (b - a) << costBits / (batch + 1)

		a = now()
		for range batch {
			x = chain(x)
		}
		b = now()
		work := b - a

		a = now()
		for range batch {
			x = plainWork(m, x)
		}
		b = now()
		called := b - a

		before := scratch.ticks
		a = now()
		for range batch {
			x = openedWork(m, x)
		}
		b = now()
		addTraced()
		opened[i] = less(b-a, called) << costBits / batch
		inside[i] = min(less(scratch.ticks-before, work)<<costBits/batch, opened[i])

		a = now()
		for range batch {
			x = markedWork(m, x)
		}
		b = now()
		whole[i] = less(b-a, called) << costBits / batch
	}
	scratch.last = x // or the work could be left out
}

// measureInner measures what a scope costs that is left out, as it is inside another
// of its marker.
//
//go:norace
func measureInner(m *Marker) uint64 {
	var inner batches
	var around Scope
	around.Enter(m)
	x := uint64(1)
	for i := range inner {
		a := now()
		for range batch {
			x = plainWork(m, x)
		}
		b := now()
		called := b - a
		a = now()
		for range batch {
			x = openedWork(m, x)
		}
		b = now()
		inner[i] = less(b-a, called) << costBits / batch
	}
	around.Exit()
	scratch.last = x
	return inner.median()
}

// chain is work that no processor can shorten: each step waits for the one before.
func chain(x uint64) uint64 {
	for range 16 {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

// plainWork is a function, markedWork the same with a Scope, openedWork with one
// that ends explicitly.
//
//go:noinline
func plainWork(m *Marker, x uint64) uint64 { return chain(x) }

//go:noinline
func markedWork(m *Marker, x uint64) uint64 {
	var s [1]Scope
	defer Close(s[:])
	s[0].Enter(m)
	return chain(x)
}

//go:noinline
func openedWork(m *Marker, x uint64) uint64 {
	if m.Off == 0 {
		Begin(m)
		x = chain(x)
		End(m)
		return x
	}
	return chain(x)
}
