package pages

import "math"

// heats is the number of the hottest colour: the style sheet has classes heat0 (cool) to heat16,
// with the colours of report/assets/heat.js.
const heats = 16

// heatOf returns the colour for a share of time. The scale is a square root: a tenth of the time is
// warm already.
func heatOf(share float64) int {
	return int(math.Round(math.Sqrt(min(max(share, 0), 1)) * heats))
}

// strengthOf returns the opacity for n out of most, which stays visible for small n.
func strengthOf(n, most uint64) float64 {
	return 0.3 + 0.7*math.Sqrt(float64(n)/float64(most))
}

// colours are the numbers of all colours, for the legend.
var colours = func() (list []int) {
	for i := range heats + 1 {
		list = append(list, i)
	}
	return list
}()
