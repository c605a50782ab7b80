//go:build !markgen_off

package runtime

// The collector alloc reads how many bytes and objects have been allocated on the heap,
// as MemStats.TotalAlloc and MemStats.Mallocs count them: in a deep build by the
// goroutine (deep_alloc.go), else by the whole process (plain_alloc.go).
var allocValues = []string{"bytes", "objects"}
