package p

// All keeps everything in the program, and nothing inlined: what is inlined
// into a caller depends on what the body costs, markers included.
func All() {
	for _, f := range kept {
		println(f)
	}
}

var kept = []any{onlyItself, loops, branches, selects, literals, low, empty, byLen.Len, byLen.Swap, apply, sum, deep}

func sum(list []int) (s int) {
	for _, x := range list {
		if x < 0 {
			continue
		}
		s += x
	}
	return s
}

func deep(n int) int {
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			switch {
			case i == j:
				n--
			case i > j:
				n -= 2
				break
			default:
				if n > 100 {
					return n
				}
			}
		}
	}
	return n
}
