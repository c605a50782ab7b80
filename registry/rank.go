package registry

import "strings"

// rankDigits is the maximum length of a rank; if there is no room left in a function, its markers
// get new ranks.
const rankDigits = 15

// between returns n ascending ranks after low and before high; "" stands for the beginning as low
// and the end as high. It returns nil if that would need more than rankDigits digits.
func between(low, high string, n int) []string {
	lo, hi, unit := uint64(0), uint64(0), uint64(1)
	for d := 0; d < rankDigits; d++ {
		lo, hi, unit = lo*10+digit(low, d), hi*10+digit(high, d), unit*10
		top := hi
		if high == "" {
			top = unit
		}
		if top <= lo || top-lo-1 < uint64(n) || d+1 < len(low) {
			continue
		}
		step, left := (top-lo)/uint64(n+1), (top-lo)%uint64(n+1)
		ranks := make([]string, n)
		for i := range ranks {
			at := lo + step*uint64(i+1) + left*uint64(i+1)/uint64(n+1)
			digits := make([]byte, d+1)
			for j := d; j >= 0; j-- {
				digits[j] = byte('0' + at%10)
				at /= 10
			}
			ranks[i] = strings.TrimRight(string(digits), "0")
		}
		return ranks
	}
	return nil
}

func digit(rank string, i int) uint64 {
	if i < len(rank) {
		return uint64(rank[i] - '0')
	}
	return 0
}

// increasing returns the indexes of a longest strictly increasing subsequence of ranks, ignoring
// ""; if there are several, the one found by patience sorting.
func increasing(ranks []string) []int {
	var tops []int // tops[k] is the index of the smallest end of an increasing sequence of length k+1
	previous := make([]int, len(ranks))
	for i, r := range ranks {
		if r == "" {
			continue
		}
		lo, hi := 0, len(tops)
		for lo < hi {
			mid := (lo + hi) / 2
			if ranks[tops[mid]] < r {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		previous[i] = -1
		if lo > 0 {
			previous[i] = tops[lo-1]
		}
		if lo == len(tops) {
			tops = append(tops, i)
		} else {
			tops[lo] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	sequence := make([]int, len(tops))
	for k, i := len(tops)-1, tops[len(tops)-1]; k >= 0; k, i = k-1, previous[i] {
		sequence[k] = i
	}
	return sequence
}
