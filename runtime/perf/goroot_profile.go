//go:build markgen_goroot && !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/cpuprofile"
	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/platform"
	"github.com/markgen/markgen/runtime/layout"
)

// While markers can be demoted, a CPU profile is taken, from which readers estimate the times of
// demoted markers: unlike timing a scope, sampling it does not make it slower. The profile is written at
// the end of the run. There is none if the run pauses, or once the program takes a profile of its own.

// tallyFile is the end of the path of the file with the code that counts.
const tallyFile = "/virtual_tally.go"

// profiled is the CPU profile of the run.
var profiled = profileState{due: noLook}

type profileState struct {
	lock    mutex.Mutex
	profile cpuprofile.Profile
	own     bool   // the program takes profiles of its own
	cpu     uint64 // CPU time of the process when the profile was last saved, ns
	due     uint64 // tick from which it may have to be saved; noLook if there is none
}

// beginProfile begins the profile of a run in which markers may be demoted.
func beginProfile() {
	p := &profiled
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.own || conf.Waits || !conf.Demotes() || hot.look == noLook {
		return
	}
	p.profile = cpuprofile.Profile{}
	if conf.Budget != 0 {
		p.profile.Watch = tallyFile
	}
	p.profile.Start()
	p.cpu, _ = platform.CPUTime()
	atomic.StoreUint64(&p.due, now()+fromNS(profileEvery()))
}

// profileEvery returns the time between two tests of whether the profile has to be saved, ns.
func profileEvery() uint64 { return saveAfter() / uint64(runtime.GOMAXPROCS(0)) }

// saveAfter returns the CPU time after which the profile is saved, ns.
func saveAfter() uint64 {
	if conf.Budget != 0 {
		return budgetSample
	}
	return cpuprofile.Room / 2
}

// profileDue returns the tick of the next such test.
func profileDue() uint64 { return atomic.LoadUint64(&profiled.due) }

// saveProfile makes room for further samples, if that is due at tick t. The caller does not hold the
// lock of package perf.
func saveProfile(t uint64) {
	p := &profiled
	due := profileDue()
	if t < due || !atomic.CompareAndSwapUint64(&p.due, due, noLook) {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.profile.Running() {
		if cpu, _ := platform.CPUTime(); cpu-p.cpu >= saveAfter() {
			p.profile.Save()
			if all := p.profile.Samples; all > 0 {
				noteCounting(float64(cpu-p.cpu) * float64(p.profile.Watched) / float64(all))
				p.profile.Samples, p.profile.Watched = 0, 0
			}
			p.cpu = cpu
		}
		atomic.StoreUint64(&p.due, t+fromNS(profileEvery()))
	}
}

// dropProfile ends the profile without a result.
func dropProfile() {
	p := &profiled
	p.lock.Lock()
	defer p.lock.Unlock()
	p.profile.Stop()
	p.profile = cpuprofile.Profile{}
	atomic.StoreUint64(&p.due, noLook)
}

// YieldProfile ends the profile of the run, so that the program can take one of its own. In overlay
// builds pprof.StartCPUProfile calls it.
func YieldProfile() {
	profiled.lock.Lock()
	profiled.own = true
	profiled.lock.Unlock()
	dropProfile()
}

// endProfile ends the profile, if there is one, and writes it. The caller holds the lock of package
// perf.
//
//go:norace
//go:nocheckptr
func endProfile() {
	p := &profiled
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.profile.Running() {
		return
	}
	p.profile.Stop()
	text := p.profile.AppendText(nil)
	b := space.New(layout.BlockProfile, 0, layout.OffProfileText+uintptr(len(text)))
	if b == nil {
		return
	}
	*(*uint64)(unsafe.Add(b, layout.OffProfileLen)) = uint64(len(text))
	copy(unsafe.Slice((*byte)(unsafe.Add(b, layout.OffProfileText)), len(text)), text)
	space.Publish(b)
}
