// Package parallel has workloads of many small basic blocks, run on all processors to measure the
// cost of block counting.
package parallel

// Fib calls itself for n above 1.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Find returns the index at which v is, or would be inserted, in sorted, by binary search.
func Find(sorted []int, v int) int {
	low, high := 0, len(sorted)
	for low < high {
		middle := (low + high) / 2
		if sorted[middle] < v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// Words returns the number of words in text.
func Words(text string) int {
	words, inside := 0, false
	for i := range len(text) {
		switch text[i] {
		case ' ', '\t', '\n':
			inside = false
		default:
			if !inside {
				words++
			}
			inside = true
		}
	}
	return words
}

// Sort is insertion sort.
func Sort(values []int) {
	for i := range values {
		for j := i; j > 0 && values[j] < values[j-1]; j-- {
			values[j], values[j-1] = values[j-1], values[j]
		}
	}
}

// Hash returns the 64-bit FNV-1a hash of text.
func Hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = step(h, text[i])
	}
	return h
}

func step(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }
