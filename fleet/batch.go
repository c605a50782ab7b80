package fleet

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
)

// A RunID tells what was spooled from all else that ever was: 128 bits drawn at random when a profile is put into
// the spool. It says nothing about the process.
type RunID [16]byte

// NewRunID draws one.
func NewRunID() (id RunID) {
	rand.Read(id[:])
	return id
}

// ParseRunID reads what String writes.
func ParseRunID(s string) (id RunID, err error) {
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(id) {
		return RunID(b), nil
	}
	return RunID{}, fmt.Errorf("%q is no run; give %d hexadecimal digits", s, 2*len(id))
}

// String is the ID as 32 lower-case hexadecimal digits.
func (id RunID) String() string { return hex.EncodeToString(id[:]) }

// A BatchID tells a batch from all others. The service counts a batch once, however often it comes.
type BatchID struct {
	Build    string // Origin.Build of its figures
	Run      RunID
	Sequence uint32 // the batches of a run are numbered from 0
}

// A Batch is a part of the figures of a run, or all of them: some of its markers, each whole. The first batch of a
// run (or of what has been added to a run since the last time) has Profile.Runs, elapsed time and what else is of
// the run as a whole; in the others these are 0. What is sent of a run that goes on is complete, as far as it goes; the
// last that is sent of it says whether it ended in order.
type Batch struct {
	ID      BatchID
	Origin  Origin
	Day     Day              // on which the run ended, or the data were taken from it
	Profile *profile.Profile // whose markers are counted
	Body    []byte           // the profile file that Profile was read from
	Token   string           // ID of the token that it came with; "": none
}

// A Receipt says what became of a batch.
type Receipt struct {
	Known     bool // it had come before, and was not counted again
	Markers   int  // whose figures were added
	NewOrigin bool // its origin came first with it, or first with its token; it stays, even if the batch was not taken
}

// Day is a day in UTC, numbered from 1970-01-01, which is 0.
type Day int32

// DayOf is the day of a moment.
func DayOf(t time.Time) Day { return Day(t.Unix() / 86400) }

// Time is the moment the day begins, in UTC.
func (d Day) Time() time.Time { return time.Unix(int64(d)*86400, 0).UTC() }

// String is the day as 2006-01-02.
func (d Day) String() string { return d.Time().Format(time.DateOnly) }

// ParseDay reads what String writes.
func ParseDay(s string) (Day, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, fmt.Errorf("%q is no day; give one such as 2006-01-02", s)
	}
	return DayOf(t), nil
}
