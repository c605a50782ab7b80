//go:build !markgen_off

package perf

import (
	"math/bits"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// With budget=P, markers may take a part P of the processor time that the program itself takes. A
// check, which scopes make once in a while, multiplies the numbers of recent scopes by what timing and
// counting one costs, and compares that with the CPU time of the process.
//
//   - Counting all that is on may take P/2. If it takes more, groups are turned off, the most
//     expensive first. A group is a gate with all markers behind it, or a counter: a marker that is
//     off behind an open gate costs as much as one that is counted.
//   - Timing and counting may take 3P/4. If they take more, markers are demoted, the most expensive
//     first.
//
// The cheapest are raised by a level again while counting then takes at most 3P/8, and all P/2. What has
// been lowered waits before it is raised, each time twice as long.

const (
	// budgetEvery is the time between two checks, ns. It is longer if a check takes more than
	// 1/budgetShare of what markers may take or, if that is more, have taken recently.
	budgetEvery = 10_000_000
	budgetShare = 10

	// soonest is that time if markers that are timed, such as those of a part of the program that
	// begins to run, take more than they may. It is longer if a check takes more than 1/budgetShare
	// of it.
	soonest = 1_000_000

	// budgetCPU is the minimum CPU time between two checks, ns.
	budgetCPU = 500_000

	// negligible is the part of what markers may take from which turning a group off pays.
	negligible = 1000

	// budgetSample is the CPU time after which the samples of the CPU profile are counted, ns, and
	// budgetKeep the part of earlier ones that is kept then.
	budgetSample = 500_000_000
	budgetKeep   = 7. / 8

	// surely is the CPU time, ns, in samples of counting from which these tell what it takes: 8 samples.
	surely = 32_000_000

	// firstWait is the time until what was lowered for the first time may be raised, ns.
	firstWait = 1_000_000_000
)

// budget is the state of budget=. Under the lock.
var budget budgetState

type budgetState struct {
	due      uint64    // tick of the next check; noLook without budget=
	at       uint64    // tick of the latest check
	cpu      uint64    // CPU time of the process then, ns
	took     uint64    // ticks that a check takes; see checkBudget
	looks    uint64    // calls of look since the latest check
	own      float64   // ticks that checks took since then, scopes excluded
	pass     float64   // ticks that counting a scope takes, as sampled; 0 at first
	sampled  float64   // ticks of counting in recent samples, and
	passed   float64   // scopes that were counted meanwhile
	recent   spent     // what the checks found, halved at each
	markers  []spender // by index less firstIndex
	counters []spender
	tables   int // number of tables whose counters are in counters
}

// spent is what was used in some time, in ticks.
type spent struct{ cpu, wall, markers float64 }

// A spender is a marker or a counter.
type spender struct {
	_              [0]func() // not comparable: == would add code
	table          int32     // index in tables, plus 1; 0 if not known yet
	line           uint32
	counter        bool
	demoted        bool    // by the budget, not because its scopes are short
	last           uint64  // changes with the ends of timed scopes
	timed, counted uint64  // scopes until the latest check
	scopes         float64 // recent scopes, halved at each check; as they were if it is off
	rate           float64 // recent scopes per tick of CPU time
	wait, retry    uint64  // it may be raised at tick retry; wait is the time that it waits for that
}

// beginBudget prepares the checks, if the run has a budget. The caller has acquired starting.
//
//go:norace
func beginBudget() {
	budget = budgetState{due: noLook}
	if conf.Budget == 0 || hot.look == noLook {
		return
	}
	lock()
	budget.at = now()
	budget.cpu, _ = platform.CPUTime()
	budget.due = budget.at + fromNS(budgetEvery)
	hot.again = min(hot.again, budget.due)
	levels.grow()
	unlock()
}

// part returns the budget as a part of 1.
func part() float64 { return float64(conf.Budget) / 1e6 }

// scopeTicks and passTicks are what timing and counting a scope costs, in ticks.
//
//go:norace
//go:noinline
func scopeTicks() float64 { return float64(hot.cost[kindOpened]) / (1 << costBits) }

//go:norace
//go:noinline
func passTicks() float64 { return max(budget.pass, float64(countTicks)/(1<<costBits)) }

// countingNS is the CPU time that counting took in the samples that checkBudget has not seen yet, ns,
// plus 1; 0 if there are none.
var countingNS uint64

// noteCounting notes what counting took in the latest samples, in ns.
func noteCounting(ns float64) { atomic.StoreUint64(&countingNS, uint64(ns)+1) }

// adjust adjusts the cost of counting to samples, if there are new ones. In a program with many goroutines
// it is a multiple of what a loop with warm caches, by which it is calibrated, takes.
//
//go:norace
func (b *budgetState) adjust() {
	if !hasCounters {
		return
	}
	ns := atomic.SwapUint64(&countingNS, 0)
	if ns == 0 {
		return
	}
	b.sampled += float64(fromNS(ns - 1))
	if enough := float64(fromNS(surely)); b.passed > 0 {
		if b.sampled >= enough {
			b.pass = max(b.pass, b.sampled/b.passed)
		}
		b.pass = min(b.pass, (b.sampled+enough)/b.passed)
	}
	b.sampled, b.passed = b.sampled*budgetKeep, b.passed*budgetKeep
}

// checkBudget makes a check, if one is due at tick t. The caller holds the lock.
//
//go:norace
func checkBudget(t uint64) {
	b := &budget
	if t < b.due {
		return
	}
	b.due = t + fromNS(budgetEvery)
	cpu, _ := platform.CPUTime()
	if cpu < b.cpu+budgetCPU {
		return
	}
	r := &b.recent
	first := r.cpu == 0
	r.cpu = r.cpu/2 + float64(fromNS(cpu-b.cpu))
	r.wall = r.wall/2 + float64(t-b.at)
	r.markers = r.markers/2 + b.own
	b.at, b.cpu, b.own, b.looks = t, cpu, 0, 0
	b.count(t)
	b.adjust()
	program := max(r.cpu-r.markers, r.cpu/10)
	b.keep(t, part()*program)
	ended := now()
	// The thread may have lost its processor during a check: a longer time counts only in part.
	if b.took += b.took/4 + 1; b.took > ended-t || first {
		b.took = ended - t
	}
	b.own += float64(b.took)
	b.due = ended + max(fromNS(budgetEvery), uint64(budgetShare*float64(b.took)/max(part(), r.markers/program)))
}

// look makes a check due if markers that are timed take more than they may. It is called about every
// maxBetweenChecks of their scopes. The caller holds the lock.
//
//go:norace
func (b *budgetState) look(t uint64) {
	if conf.Budget == 0 {
		return
	}
	b.looks++
	since := t - b.at
	if float64(b.looks*maxBetweenChecks)*scopeTicks() > part()*float64(since) && since > max(fromNS(soonest), budgetShare*b.took) {
		b.due = min(b.due, t)
	}
}

// count counts the scopes since the latest check, and records the levels that demotion has changed.
//
//go:norace
func (b *budgetState) count(t uint64) {
	for len(b.markers) < len(live) {
		b.markers = append(b.markers, spender{})
	}
	for k := range b.markers {
		s, m := &b.markers[k], live[k].marker
		if s.table == 0 && !s.find(m) {
			continue
		}
		s.note(t)
		timed, counted := s.timed, s.tallied()
		passes, last := passesOf(firstIndex + uint32(k))
		if last != s.last { // some scopes were timed
			s.last, timed = last, 0
			for shard := range usedShards {
				if c := cellIn(shard, firstIndex+uint32(k)); c != nil {
					n, _ := c.Timed()
					timed += n
				}
			}
		}
		b.add(s, timed, counted+passes)
	}
	for ; hasCounters && b.tables < len(tables); b.tables++ {
		tables[b.tables].spenders(b)
	}
	for k := 0; hasCounters && k < len(b.counters); k++ {
		s := &b.counters[k]
		b.add(s, 0, s.tallied())
	}
}

// find sets the table of the spender of a marker. It returns false if that is not registered yet.
//
//go:norace
func (s *spender) find(m *Marker) bool {
	for k := len(tables) - 1; k >= 0; k-- {
		if i, ok := tables[k].indexOf(m); ok {
			s.table, s.line = int32(k)+1, i
			return true
		}
	}
	return false
}

// spenders adds the counters of the table.
//
//go:norace
func (t *table) spenders(b *budgetState) {
	if t.counters == nil {
		return
	}
	if t.counting == nil {
		t.chooseCounters()
	}
	for i := range t.n {
		if t.counting[i] == countsOn {
			b.counters = append(b.counters, spender{table: int32(b.tables) + 1, line: uint32(i), counter: true})
		}
	}
}

// tallied returns the number that the rewritten code has counted.
//
//go:norace
func (s *spender) tallied() uint64 {
	t, at := s.in(), uintptr(s.line)
	if !s.counter {
		at += uintptr(t.n)
	}
	return t.countAt(at)
}

// in returns the spender's table.
//
//go:norace
//go:noinline
func (s *spender) in() *table { return &tables[s.table-1] }

// add notes how many scopes of s there have been until now.
//
//go:norace
func (b *budgetState) add(s *spender, timed, counted uint64) {
	newTimed, newCounted := float64(timed-s.timed), float64(counted-s.counted)
	s.timed, s.counted = timed, counted
	b.passed += newCounted
	b.recent.markers += newTimed*scopeTicks() + newCounted*passTicks()
	if s.level() == layout.LevelOff {
		return
	}
	s.scopes = s.scopes/2 + newTimed + newCounted
	s.rate = s.scopes / b.recent.cpu
}

// passesOf returns the number of counted scopes in the cells of an index, and a number that changes with
// the ends of timed ones.
//
//go:norace
func passesOf(index uint32) (n, last uint64) {
	for shard := range usedShards {
		if c := cellIn(shard, index); c != nil {
			n += c.Passes
			last = bits.RotateLeft64(last, 7) ^ c.Last
		}
	}
	return n, last
}
