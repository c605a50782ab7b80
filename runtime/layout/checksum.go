package layout

// Checksums in data files detect damage, not forgery.

// ChecksumStart is the checksum of no bytes.
const ChecksumStart = 0x9e3779b97f4a7c15

// Checksum returns the checksum of earlier bytes and b, where sum is the checksum of the earlier
// bytes. It takes 8 bytes at a time, low byte first on every machine, and pads the last with zeros.
// Each step is invertible, so data that differ in only one word have different sums.
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

// checksumOf is a step of FNV-1a with 8 bytes instead of 1, and the upper half folded into the
// lower, without which changes of the upper bits of two words could cancel each other.
func checksumOf(sum, word uint64) uint64 {
	sum = (sum ^ word) * 0x100000001b3
	return sum ^ sum>>32
}

// SumHeader returns the checksum of the header page without the words that change after the run:
// OffUsed, which differs in a copy with more records, and OffDrainer; and without OffSums, which is
// written last.
func SumHeader(page []byte) uint64 {
	sum, from := uint64(ChecksumStart), 0
	for _, without := range [...]int{OffUsed, OffSums, OffDrainer} {
		sum = Checksum(sum, page[from:without])
		from = without + 8
	}
	return Checksum(sum, page[from:HeaderSize])
}

// SumHead returns the checksum of a block's first n bytes, without the word at own, where the
// checksum is stored.
func SumHead(head []byte, own int) uint64 {
	return Checksum(Checksum(ChecksumStart, head[:own]), head[own+8:])
}

// Summed returns the number of bytes of a block that its checksum covers. Records in rings are not
// covered: their own numbers show which were overwritten.
func Summed(kind uint32, size uint64) uint64 {
	if kind == BlockRing {
		return min(size, RingData)
	}
	return size
}

// SumBlock returns the checksum of a block of that kind, given its first Summed bytes. The number
// of records drained from a ring is excluded.
func SumBlock(kind uint32, data []byte) uint64 {
	if kind == BlockRing && len(data) >= RingDrained+8 {
		return SumHead(data, RingDrained)
	}
	return Checksum(ChecksumStart, data)
}
