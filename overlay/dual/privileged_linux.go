package dual

import _ "unsafe" // for go:linkname

// privileged reports whether the program has rights that its caller lacks; see Privileged in the
// runtime's package platform, which cannot be imported here.
func privileged() bool {
	const atSecure = 23 // AT_SECURE of getauxval(3)
	vector := auxv()
	for i := 0; i+1 < len(vector); i += 2 {
		if vector[i] == atSecure {
			return vector[i+1] != 0
		}
	}
	return false
}

//go:linkname auxv runtime.getAuxv
func auxv() []uintptr
