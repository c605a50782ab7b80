// Package parallel is code that many goroutines run at once, in small blocks, for
// counting how often each is passed.
package parallel

// Fib calls itself for n above 1.
func Fib(n int) int {
	if n < 2 {
		return n
	}
	return Fib(n-1) + Fib(n-2)
}

// Find searches sorted for v, by halves, and returns where it is or would be.
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

// Words counts what stands between blanks.
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

// Sort sorts by insertion.
func Sort(values []int) {
	for i := range values {
		for j := i; j > 0 && values[j] < values[j-1]; j-- {
			values[j], values[j-1] = values[j-1], values[j]
		}
	}
}

// Hash is that of Fowler, Noll and Vo, 64 bits, variant 1a.
func Hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = step(h, text[i])
	}
	return h
}

func step(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }
