package main

import (
	"strings"
	"testing"
	"time"
)

// The expiry of a token is given as a duration, in days or other units, or as its last day.
func TestParseExpiry(t *testing.T) {
	now := time.Date(2026, 11, 29, 15, 4, 5, 6, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"":           "0001-01-01T00:00:00Z",
		"90d":        "2027-02-27T14:04:05Z",
		"1h30m":      "2026-11-29T15:34:05Z",
		"2026-11-29": "2026-11-30T00:00:00Z",
		"2027-01-31": "2027-02-01T00:00:00Z",
		"2026-11-28": "2026-11-28 is over; give a day to come",
		"0000-12-31": "0000-12-31 is over; give a day to come",
		"0d":         `"0d" is no duration such as 720h or 90d, and no day such as 2027-01-31`,
		"-1h":        `"-1h" is no duration`,
		"soon":       `"soon" is no duration`,
		"100000d":    `"100000d" is no duration`,
	} {
		end, err := parseExpiry(text, now)
		got := end.Format(time.RFC3339)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
