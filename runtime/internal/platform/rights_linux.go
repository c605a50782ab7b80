package platform

import _ "unsafe" // for go:linkname

// atSecure is AT_SECURE of getauxval(3): the kernel's word that the environment is not to be
// trusted. It is 1 for setuid and setgid programs, and for those with capabilities of their own.
const atSecure = 23

// MoreRights says whether the program has rights that its caller lacks, and so must not do with
// them what the environment says: it would write files in their owner's name. The Go runtime asks
// the same (runtime/security_linux.go).
func MoreRights() bool {
	vector := auxv()
	for i := 0; i+1 < len(vector); i += 2 {
		if vector[i] == atSecure {
			return vector[i+1] != 0
		}
	}
	return false
}

// auxv is what the kernel tells a program at its start, pairs of a tag and a value. It is open to modules, see
// runtime/runtime.go.
//
//go:linkname auxv runtime.getAuxv
func auxv() []uintptr
