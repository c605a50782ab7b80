package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/markgen/markgen/runtime/config"
)

// A Size is a flag for a number of bytes: 131072, 128K, 1M, 2GiB.
type Size int64

// String returns the value in bytes.
func (s *Size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Set parses a number of bytes, as in MARKGEN, also in lower case or with a B at the end.
func (s *Size) Set(text string) error {
	short := strings.ToUpper(text)
	if unit, ok := strings.CutSuffix(short, "IB"); ok && strings.TrimRight(unit, "KMG") != unit {
		short = unit
	} else if digits, ok := strings.CutSuffix(short, "B"); ok && strings.TrimRight(digits, "KMG") == digits {
		short = digits
	}
	n, ok := config.Size(short)
	if !ok {
		return errors.New("give a number of bytes, with K, M or G behind it if you like")
	}
	*s = Size(n)
	return nil
}
