package collect

import _ "unsafe" // for go:linkname

// procPin forbids preemption until procUnpin. Modules may link to both, see the list of known users
// in runtime/proc.go.
//
//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()
