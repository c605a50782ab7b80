//go:build markgen_goroot && !markgen_off

package perf

import (
	"runtime"
	"sync/atomic"

	"github.com/markgen/markgen/runtime/internal/cpuprofile"
	"github.com/markgen/markgen/runtime/internal/mutex"
	"github.com/markgen/markgen/runtime/internal/platform"
)

// While markers can be demoted, a CPU profile is taken, from which readers estimate the times of
// demoted markers: a scope that is timed becomes slower for it, and one that is sampled does not. It is
// written at the end of the run. A run that does not collect all the time has none, and none that the
// program takes a profile in, for which it makes way.

// profiled is the CPU profile of the run.
var profiled struct {
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
	atomic.StoreUint64(&p.due, noLook)
	if p.own || conf.Waits || !conf.Demotes() || hot.look == noLook {
		return
	}
	p.profile = cpuprofile.Profile{}
	p.profile.Start()
	p.cpu, _ = platform.CPUTime()
	atomic.StoreUint64(&p.due, now()+fromNS(profileEvery()))
}

// profileEvery returns the time between two tests of whether the profile has to be saved, ns.
func profileEvery() uint64 { return cpuprofile.Room / 2 / uint64(runtime.GOMAXPROCS(0)) }

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
		if cpu, _ := platform.CPUTime(); cpu-p.cpu >= cpuprofile.Room/2 {
			p.profile.Save()
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

// endProfile ends the profile and returns its text; nil if there is none.
func endProfile() []byte {
	p := &profiled
	p.lock.Lock()
	defer p.lock.Unlock()
	if !p.profile.Running() {
		return nil
	}
	p.profile.Stop()
	return p.profile.AppendText(nil)
}
