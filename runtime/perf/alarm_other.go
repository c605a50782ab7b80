//go:build !linux && !markgen_off

package perf

// pollerTrouble is not known here.
func pollerTrouble() string { return "" }

// An alarm wakes a goroutine at a time: with Go's timers.
type alarm struct{}

func (a *alarm) open()  {}
func (a *alarm) close() {}

// wait puts the goroutine to sleep until the monotonic clock shows at, ns.
func (a *alarm) wait(at uint64) {
	if d := int64(at - uint64(nanotime())); d > 0 {
		sleep(d)
	}
}
