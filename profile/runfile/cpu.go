package runfile

import (
	"strconv"
	"strings"
)

// cpuName returns the processor's marketing name for the text in a data file. On arm64 there is no
// such text, only the register MIDR_EL1.
func cpuName(text string) string {
	digits, ok := strings.CutPrefix(text, "MIDR ")
	if !ok {
		return text
	}
	midr, err := strconv.ParseUint(digits, 0, 64)
	if err != nil {
		return text
	}
	// Implementer and part; see MIDR_EL1 in the Arm Architecture Reference Manual. Variant and
	// revision are dropped.
	implementer, part := uint8(midr>>24), uint16(midr>>4&0xfff)
	if name := armParts[[2]uint16{uint16(implementer), part}]; name != "" {
		return name
	}
	return "arm64 implementer 0x" + strconv.FormatUint(uint64(implementer), 16) + " part 0x" + strconv.FormatUint(uint64(part), 16)
}

// armParts are the names of processors by implementer and part, from their technical reference
// manuals: servers, and small computers that services run on.
var armParts = map[[2]uint16]string{
	{0x41, 0xd03}: "Arm Cortex-A53",
	{0x41, 0xd04}: "Arm Cortex-A35",
	{0x41, 0xd05}: "Arm Cortex-A55",
	{0x41, 0xd07}: "Arm Cortex-A57",
	{0x41, 0xd08}: "Arm Cortex-A72",
	{0x41, 0xd09}: "Arm Cortex-A73",
	{0x41, 0xd0a}: "Arm Cortex-A75",
	{0x41, 0xd0b}: "Arm Cortex-A76",
	{0x41, 0xd0c}: "Arm Neoverse-N1",
	{0x41, 0xd0d}: "Arm Cortex-A77",
	{0x41, 0xd40}: "Arm Neoverse-V1",
	{0x41, 0xd41}: "Arm Cortex-A78",
	{0x41, 0xd49}: "Arm Neoverse-N2",
	{0x41, 0xd4f}: "Arm Neoverse-V2",
}
