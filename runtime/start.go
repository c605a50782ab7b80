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

// begin starts this process's run if nothing has yet. All work is done here, on
// the first Register or the first scope: importing the package does nothing.
//
//go:norace
func begin() {
	if atomic.LoadUint32(&hot.mode) != modeNew {
		return
	}
	acquire(&starting)
	if hot.mode == modeNew {
		mode := start()
		atomic.StoreUint32(&hot.mode, mode)
		if mode == modeOn {
			if hot.self { // what takes the lock that calibrate is called with is done before
				g := getg()
				if p := lineOf(hot.slots, slotBits, g).find(g); p != nil && p.stack.room == 0 {
					p.grow()
				}
			}
			lock()
			calibrate()
			unlock()
			atExit(Finish)
			if !hot.mono {
				atomic.StoreUint32(&hot.mode, modeReady)
			}
		}
	}
	release(&starting)
}

// ready lets scopes be opened: the first of them comes here. The rate of the clock
// has been observed since the start and is for long enough now, or soon.
//
//go:norace
func ready() {
	if atomic.LoadUint32(&hot.mode) != modeReady {
		return
	}
	acquire(&starting)
	if hot.mode == modeReady {
		for uint64(nanotime())-began.mono < calibration {
		}
		hz := measureHz(began)
		lock()
		if hz != 0 {
			hot.mult = multFor(hz)
			setHeader(OffHz, hz)
		}
		if atomic.CompareAndSwapUint32(&hot.mode, modeReady, modeOn) {
			setHeader(OffState, StateProfiling)
		}
		unlock()
	}
	release(&starting)
}

// start does what MARKGEN says and returns the mode that follows.
//
//go:norace
func start() uint32 {
	value, _ := syscall.Getenv("MARKGEN")
	if value == "" {
		return modeInert
	}
	began = takeAnchor()
	wall := wallNS()
	c, trouble := parseConfig(value)
	usable := ticksUsable()
	if trouble == "" && c.tsc && !usable {
		trouble = refuse("clock", "cannot be tsc: this machine has none that can be relied on; give mono or leave it out")
	}
	if trouble != "" {
		complain(trouble)
		return modeInert
	}
	conf = c
	app = appName()
	pid := syscall.Getpid()
	if c.report != "" && c.report != "stderr" {
		reportPath = absolute(expand(c.report, app, pid, wall))
	}
	var first unsafe.Pointer
	if c.file != "" {
		path := expand(c.file, app, pid, wall)
		if first, trouble = openFile(path); first == nil {
			complain(`MARKGEN: key "file": ` + path + ": " + trouble + "; collecting in memory only")
		}
	}
	words := anonymous(BlockAlign)
	if words == nil || !openSpace(first) {
		complain("no memory for the cells; nothing is collected")
		return modeInert
	}
	locked = (*uint32)(words)
	if hasG {
		hot.slots = firstSlots()
	}
	hot.self = hot.slots != nil && !c.noself
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
	state := uint64(StateConfigured)
	if hot.mono {
		state = StateProfiling
	}
	setHeader(OffState, state)
	setHeader(OffPID, uint64(pid))
	setHeader(OffStartWall, wall)
	setHeader(OffStartMono, began.mono)
	setHeader(OffStartTick, began.tick)
	setHeader(OffClock, kind)
	setHeader(OffHz, hz)
	setHeader(OffProcs, uint64(runtime.GOMAXPROCS(0)))
	if !hot.self {
		setHeader(OffFlags, FlagNoSelf)
	}
	setHeaderText(OffApp, SizeApp, app)
	setHeaderText(OffGo, SizeGo, runtime.Version())
	setHeaderText(OffGOOS, SizeGOOS, goos)
	setHeaderText(OffGOARCH, SizeGOARCH, goarch)
	setHeaderText(OffConfig, SizeConfig, value)
	return modeOn
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

// calibrate measures what reading the clock and passing an empty scope cost,
// with the very code the program runs: the mean of the best of several batches.
// The caller holds the lock, so nobody else makes a directory meanwhile.
//
//go:norace
//go:nocheckptr
func calibrate() {
	const batches, batch = 16, 32
	scratchDirectory.n = scratchIndex + 1
	scratchDirectory.cells[scratchIndex] = &scratch
	for i := range scratch.groups {
		scratch.groups[i].p = &scratchGroup
	}
	scratch.k = NumBuckets
	m := Marker{index: scratchIndex}

	step := quantum()
	pid := procPin()
	if uint(pid) >= maxShards {
		procUnpin()
		return
	}
	kept := shards[pid].dir
	shards[pid].dir = (*directory)(unsafe.Pointer(&scratchDirectory))
	read, inside, whole := uint64(1<<64-1), uint64(0), uint64(1<<64-1)
	for range batches {
		a := now()
		for range batch {
			now()
		}
		b := now()
		read = min(read, b-a)

		before := scratch.ticks
		a = now()
		for range batch {
			emptyScope(&m)
		}
		b = now()
		if b-a < whole {
			whole, inside = b-a, scratch.ticks-before
		}
	}
	shards[pid].dir = kept
	procUnpin()
	read /= batch + 1
	whole = less(whole, read)
	hot.inside, hot.whole = inside<<costBits/batch, whole<<costBits/batch
	setHeader(OffQuantum, toPS(step))
	setHeader(OffRead, toPS(read))
	setHeader(OffInside, toPS(inside)/batch)
	setHeader(OffWhole, toPS(whole)/batch)
}

// emptyScope is what a marked function costs.
//
//go:noinline
func emptyScope(m *Marker) {
	var s [1]Scope
	defer Close(s[:])
	s[0].Enter(m)
}
