package platform

import _ "unsafe" // for go:linkname

// atSecure is AT_SECURE of getauxval(3): whether the environment must not be trusted. It is 1 for
// setuid and setgid programs, and for those with file capabilities.
const atSecure = 23

// Privileged reports whether the program has rights that its caller lacks, and so must not act on
// the caller's environment: it would write files as their owner. The Go runtime makes the same test
// (runtime/security_linux.go).
func Privileged() bool {
	vector := auxv()
	for i := 0; i+1 < len(vector); i += 2 {
		if vector[i] == atSecure {
			return vector[i+1] != 0
		}
	}
	return false
}

// auxv returns the auxiliary vector that the kernel passes to a program, pairs of a tag and a
// value. Modules may link to it, see runtime/runtime.go.
//
//go:linkname auxv runtime.getAuxv
func auxv() []uintptr
