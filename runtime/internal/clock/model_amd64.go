package clock

import "github.com/markgen/markgen/runtime/internal/lite"

// Model returns the processor's model as it names itself, "" if it does not (CPUID 80000002h to
// 80000004h, the processor brand string, which all 64-bit processors have). In a virtual machine
// each of these instructions may take 20 to 70 µs.
func Model() string {
	var text []byte
	for leaf := uint32(0x80000002); leaf <= 0x80000004; leaf++ {
		a, b, c, d := cpuid(leaf, 0)
		for _, word := range [...]uint32{a, b, c, d} {
			text = append(text, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
		}
	}
	return lite.Squeeze(text)
}
