package trace

import _ "unsafe" // for go:linkname

// procPin forbids preemption and returns the number of the goroutine's P, until procUnpin. Modules
// may link to both, see the list of known users in runtime/proc.go.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()
