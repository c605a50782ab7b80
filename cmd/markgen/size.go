package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// A size is a flag for a number of bytes: 131072, 128K, 1M, 2GiB.
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

func (s *size) Set(text string) error {
	number := strings.TrimRight(text, "KMGiBkmgb")
	shift, ok := map[string]uint{"": 0, "b": 0, "k": 10, "kib": 10, "m": 20, "mib": 20, "g": 30, "gib": 30}[strings.ToLower(text[len(number):])]
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || !ok || n < 0 || n > math.MaxInt64>>shift {
		return errors.New("give a number of bytes, with K, M or G behind it if you like")
	}
	*s = size(n << shift)
	return nil
}
