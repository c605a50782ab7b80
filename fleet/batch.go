package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
)

// A RunID identifies a run, or several that were merged in a spool: 128 random bits, drawn when the
// spool makes the first delivery of it. It reveals nothing about the process.
type RunID [16]byte

// NewRunID returns a random ID.
func NewRunID() (id RunID) {
	rand.Read(id[:])
	return id
}

// ParseRunID parses the format of String.
func ParseRunID(s string) (id RunID, err error) {
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(id) {
		return RunID(b), nil
	}
	return RunID{}, fmt.Errorf("%q is no run; give %d hexadecimal digits", s, 2*len(id))
}

// String returns the ID as 32 lower-case hexadecimal digits.
func (id RunID) String() string { return hex.EncodeToString(id[:]) }

// A BatchID identifies a batch. The service counts a batch once, however often it is sent.
type BatchID struct {
	Build    string // Origin.Build of its statistics
	Run      RunID
	Sequence uint32 // number of the batch in its run, from 0
}

// A Batch is some of the markers of a run, each with all its statistics, or of what was added to a
// run since the last time. Only the first batch of these has Profile.Runs, the elapsed time and
// other fields about the run; they are 0 in the others. A batch of a running process has Complete
// set; the last batch of a run says whether the run ended properly.
type Batch struct {
	ID      BatchID
	Origin  Origin
	Day     Day              // when the run ended, or the data were read
	Profile *profile.Profile // decoded Body
	Body    []byte           // the profile file
	Token   string           // ID of the token that sent it; "" if none
}

// A Receipt is the service's answer to a batch.
type Receipt struct {
	Known     bool // received before, and not counted again
	Markers   int  // number of markers added
	NewOrigin bool // first batch of its origin, or of the origin and its token; the origin stays even if the batch is refused
}

// A Day is a day in UTC, as the number of days since 1970-01-01.
type Day int32

// DayOf returns the day of a time.
func DayOf(t time.Time) Day { return Day(t.Unix() / 86400) }

// Time returns the start of the day, in UTC.
func (d Day) Time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// String returns the day as 2006-01-02.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// ParseDay parses the format of String.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%q is no day; give one such as 2006-01-02", s)
	}
	return DayOf(t), nil
}
