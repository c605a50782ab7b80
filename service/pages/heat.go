package pages

import "math"

// heats are the colours there are, from cool to hot: classes heat0 … heat16 of the style sheet, which has what
// report/assets/heat.js mixes.
const heats = 16

// heatOf is the colour of a share of time. The scale is of the square root: a tenth of the time is warm already.
func heatOf(share float64) int {
	return int(math.Round(math.Sqrt(min(max(share, 0), 1)) * heats))
}

// strengthOf says how strong a colour is for n out of most. What is there can be seen.
func strengthOf(n, most uint64) float64 {
	return 0.3 + 0.7*math.Sqrt(float64(n)/float64(most))
}

// colours are the numbers of all colours, for the scale.
var colours = func() (list []int) {
	for i := range heats + 1 {
		list = append(list, i)
	}
	return list
}()
