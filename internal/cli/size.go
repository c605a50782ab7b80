package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// A Size is a flag for a number of bytes: 131072, 128K, 1M, 2GiB.
type Size int64

// String is what the flag has, in bytes.
func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Set reads a number of bytes.
func (s *Size) Set(text string) error {
	number := strings.TrimRight(text, "KMGiBkmgb")
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30}[strings.ToLower(text[len(number):])]
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || n < 0 || n > math.MaxInt64>>shift {
		return errors.New("give a number of bytes, with K, M or G behind it if you like")
	}
	*s = Size(n << shift)
	return nil
}
