// Package units formats counts, times and rates for people, in the same way everywhere in markgen.
//
//	units.Plural(1234, "pass") // 1,234 passes
//	units.Duration(12345)      // 12.3µs
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count formats a number with commas between groups of three digits.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	if len(digits) <= 3 {
		return digits
	}
	text := make([]byte, 0, len(digits)+len(digits)/3)
	for i := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text = append(text, ',')
		}
		text = append(text, digits[i])
	}
	return string(text)
}

// Plural formats a number of things; the plural of noun must end in s or es.
func Plural[N int | int64 | uint64](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "s") || strings.HasSuffix(noun, "ch"):
		noun += "e"
	}
	return Count(uint64(max(n, 0))) + " " + noun + "s"
}

// Duration formats a time with three significant digits: 0.45ns, 12.3µs, 1.20ms, 45.6s; from one
// minute on as 2m05s, 3h07m, 4d11h.
func Duration(ns float64) string {
	if ns >= 59.95e9 {
		return longDuration(ns)
	}
	for _, u := range []struct {
		ns   float64
		name string
	}{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}} {
		if v := ns / u.ns; v < 999.5 {
			return Significant(v) + u.name
		}
	}
	return Significant(ns/1e9) + "s"
}

// Measured formats a mean or percentile of times measured by a clock with a resolution of
// quantumNS. It is like Duration, but writes 0.00ns as less than the resolution, <1ns or <10ns,
// since nothing takes no time.
func Measured(ns, quantumNS float64) string {
	if text := Duration(ns); text != "0.00ns" {
		return text
	}
	return "<" + WholeDuration(uint64(max(1, math.Round(quantumNS))))
}

// WholeDuration is Duration for a time in whole nanoseconds.
func WholeDuration(ns uint64) string {
	if ns < 1000 {
		return strconv.FormatUint(ns, 10) + "ns"
	}
	return Duration(float64(ns))
}

// longDuration formats a time of a minute or more with its two largest units.
func longDuration(ns float64) string {
	s := uint64(min(math.Round(ns/1e9), math.MaxInt64))
	switch {
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 100*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}

// Significant formats a number below 1000 with three significant digits, but at most two decimals.
func Significant(v float64) string {
	digits := 0
	switch {
	case v < 9.995:
		digits = 2
	case v < 99.95:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Number formats a number: below 1000 like Significant, otherwise like Count.
func Number(v float64) string {
	if v < 999.5 {
		return Significant(v)
	}
	return Count(uint64(min(math.Round(v), math.MaxInt64)))
}

// Frequency formats a rate per second: 2.100GHz, 24.00MHz, 50Hz.
func Frequency(hz float64) string {
	switch {
	case hz >= 1e9:
		return strconv.FormatFloat(hz/1e9, 'f', 3, 64) + "GHz"
	case hz >= 1e6:
		return strconv.FormatFloat(hz/1e6, 'f', 2, 64) + "MHz"
	}
	return strconv.FormatFloat(hz, 'f', 0, 64) + "Hz"
}
