package layout

// Checksums in data files. They tell damage, not forgery.

// ChecksumStart is the checksum of nothing.
const ChecksumStart = 0x9e3779b97f4a7c15

// Checksum goes on with the checksum of what stands before b: 8 bytes at a time, low byte first on
// every machine, and zeros behind the last. Each step can be undone, so that two things that differ
// in one word only have different sums.
//
//go:norace
func Checksum(sum uint64, b []byte) uint64 {
	for len(b) >= 8 {
		word := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		sum = checksumOf(sum, word)
		b = b[8:]
	}
	if len(b) > 0 {
		word := uint64(0)
		for i := range len(b) {
			word |= uint64(b[i]) << (8 * i)
		}
		sum = checksumOf(sum, word)
	}
	return sum
}

// checksumOf is a step of FNV-1a with 8 bytes for its one, and its upper half folded into the
// lower, without which changes of upper bits of two words could cancel each other.
func checksumOf(sum, word uint64) uint64 {
	sum = (sum ^ word) * 0x100000001b3
	return sum ^ sum>>32
}

// SumHeader is the checksum of the header page without the words that change after the run: the
// bytes in use, which are others in a copy with more records, and who takes out records; and
// without OffSums, which is written last.
func SumHeader(page []byte) uint64 {
	sum, from := uint64(ChecksumStart), 0
	for _, without := range [...]int{OffUsed, OffSums, OffDrainer} {
		sum = Checksum(sum, page[from:without])
		from = without + 8
	}
	return Checksum(sum, page[from:HeaderSize])
}

// SumHead is the checksum of a block's first n bytes, of which the word at own, which has it, is left out.
func SumHead(head []byte, own int) uint64 {
	return Checksum(Checksum(ChecksumStart, head[:own]), head[own+8:])
}

// Summed is how many bytes of a block in BlockSums are summed up. Records in rings have numbers of their own, by which
// what was overwritten is told.
func Summed(kind uint32, size uint64) uint64 {
	if kind == BlockRing {
		return min(size, RingData)
	}
	return size
}

// SumBlock is the checksum of what is summed up of a block of that kind, or of its beginning, which
// has the head. The word that says how many records were taken out of a ring is left out.
func SumBlock(kind uint32, data []byte) uint64 {
	if kind == BlockRing && len(data) >= RingDrained+8 {
		return SumHead(data, RingDrained)
	}
	return Checksum(ChecksumStart, data)
}
