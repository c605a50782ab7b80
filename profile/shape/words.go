package shape

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/units"
)

// duration formats a time with three significant digits.
func duration(ns float64) string {
	switch {
	case ns < 1e3:
		return number(ns) + "ns"
	case ns < 1e6:
		return number(ns/1e3) + "µs"
	case ns < 1e9:
		return number(ns/1e6) + "ms"
	case ns < 60e9:
		return number(ns/1e9) + "s"
	}
	return time.Duration(min(ns, math.MaxInt64/2)).Round(time.Second).String()
}

// number formats a number with three significant digits, or all digits before the point.
func number(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 99.95:
		return units.Count(uint64(min(math.Round(v), 1<<63)))
	}
	digits := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	text := strconv.FormatFloat(v, 'f', min(max(digits, 0), 6), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// percent formats a fraction as a percentage.
func percent(part float64) string {
	if part != 0 && part < 0.0001 {
		return "less than 0.01 %"
	}
	return number(100*part) + " %"
}

// joined joins words with commas and "and".
func joined(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
