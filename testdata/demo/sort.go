package main

// insertionSort is quick for few numbers only.
func insertionSort(xs []int) {
	for i := 1; i < len(xs); i++ {
		for j := i; j > 0 && xs[j] < xs[j-1]; j-- {
			xs[j], xs[j-1] = xs[j-1], xs[j]
		}
	}
}

// quickSort calls itself for each half.
func quickSort(xs []int) {
	if len(xs) < 12 {
		insertionSort(xs)
		return
	}
	pivot := median(xs[0], xs[len(xs)/2], xs[len(xs)-1])
	i, j := 0, len(xs)-1
	for i <= j {
		for xs[i] < pivot {
			i++
		}
		for xs[j] > pivot {
			j--
		}
		if i <= j {
			xs[i], xs[j] = xs[j], xs[i]
			i++
			j--
		}
	}
	quickSort(xs[:j+1])
	quickSort(xs[i:])
}

func median(a, b, c int) int {
	return max(min(a, b), min(max(a, b), c))
}
