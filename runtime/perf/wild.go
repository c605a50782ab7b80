//go:build !markgen_off

package perf

import (
	"sync/atomic"
	"syscall"

	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/internal/datafile"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/internal/random"
	"github.com/markgen/markgen/runtime/internal/shared"
	"github.com/markgen/markgen/runtime/internal/tabletext"
	"github.com/markgen/markgen/runtime/internal/wild"
	"github.com/markgen/markgen/runtime/layout"
)

// With collect=wild a process picks a few functions at random and collects only at these (package
// wild). All other markers are off by choice, at no cost.

// picking is guarded by the lock, or by starting while nothing is collected.
var picking struct {
	wild.Picker
	permit wild.Permit
	over   bool // the table of package main, the last one, has been registered
	block  wild.Block
}

// readHistory reads the file of known=. A missing file is not an error: the first process has none.
func readHistory(path string) (h wild.History, problem string) {
	text, problem := datafile.ReadAll(path)
	if datafile.NoFile(problem) {
		return h, ""
	}
	if problem == "" {
		h, problem = wild.Parse(string(text))
	}
	if problem != "" {
		return h, config.KeyError("known", "cannot be "+path+": "+problem)
	}
	return h, ""
}

// beginWild prepares picking, or returns why the process declines to collect. The data file exists
// already. The caller has acquired starting.
//
//go:norace
func beginWild(h wild.History) (refused uint64) {
	load, knows := platform.Load()
	if !knows {
		load = layout.NoLoad
	}
	if knows && load >= conf.Busy {
		refused = layout.WildLoaded
	} else {
		refused = picking.permit.Acquire()
	}
	seed := random.Mix(conf.Seed)
	if seed == 0 {
		seed = random.Mix(ticks() ^ platform.WallNS()<<20 ^ uint64(syscall.Getpid()))
	}
	picking.Picker, picking.over = wild.Picker{Seed: seed, Max: int(conf.Pick), History: h}, false
	lock()
	defer unlock()
	var ok bool
	if picking.block, ok = wild.NewBlock(&space, refused, conf.Pick, load); !ok {
		return layout.WildFull
	}
	return refused
}

// decline ends a run that collects nothing; its data only say that it declined. The caller has
// acquired starting.
//
//go:norace
func decline() {
	lock()
	setHeader(layout.OffState, layout.StateStopped)
	setEnd()
	problem := closeFile()
	file.Close()
	picking.permit.Release()
	unlock()
	if problem != "" {
		complain("the data file: " + problem)
	}
}

// whyWild has the messages for the reasons to decline, for a program that calls Configure.
var whyWild = [...]string{
	layout.WildLoaded:  "the machine is busy; try again later, or give a higher busy=",
	layout.WildFull:    "six processes collect already; try again later",
	layout.WildNoPlace: "it is unknown whether other processes collect; give a directory for temporary files that can be written to",
}

// enter adds the functions of a table to those of all tables before, and picks again. The markers
// are off by choice, and none of them has an open scope. The caller holds the lock.
//
//go:norace
func (t *table) enter() {
	if picking.over {
		return
	}
	i := uint32(0)
	for line, rest := tabletext.Next(unpack(t.text)); line != ""; line, rest = tabletext.Next(rest) {
		picking.over = picking.over || line == tabletext.LastTable
		if line.Kind() != tabletext.Marker || i >= uint32(t.markers) {
			continue
		}
		number := t.first + i
		i++
		if id, ok := lite.ParseHex(line.ID()); ok && line.IsFunction() && !line.CountsOnly() && conf.wants(line.ID(), line.Name()) {
			picking.Add(id, number)
			picking.block.AddFunction()
		}
	}
	picked, on, off := picking.Update()
	if picked == nil {
		return
	}
	for _, number := range off {
		turnMarker(number, false)
	}
	for _, number := range on {
		turnMarker(number, true)
	}
	picking.block.SetPicked(picked)
}

// turnMarker turns the marker of that number on or off.
//
//go:norace
func turnMarker(number uint32, on bool) {
	for k := range tables {
		t := &tables[k]
		i := number - t.first // huge if the marker is in a table before
		if i >= uint32(t.markers) {
			continue
		}
		m := t.at(i)
		gate := t.gate(i)
		if !on {
			if shared.Load(&gate.index)&layout.IndexKept != 0 { // a trigger needs it
				shared.SetBits(&m.index, layout.IndexOff|layout.IndexOffChoice)
			} else {
				turnOff(m, layout.IndexOffChoice)
			}
			return
		}
		if k < len(tables)-1 { // it may have been executed before
			atomic.OrUint64(headerWord(layout.OffFlags), layout.FlagChosen)
		}
		if w := shared.ClearBits(&m.index, layout.IndexOffChoice) &^ layout.IndexOffChoice; w&^(layout.IndexMask|layout.IndexOff) == 0 {
			shared.ClearBits(&m.index, layout.IndexOff)
		}
		for _, m := range [...]*Marker{m, gate} {
			m.clearOff(layout.OffByChoice | layout.OffByLimit)
		}
		return
	}
}
