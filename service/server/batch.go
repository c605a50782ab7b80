package server

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"mime"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
)

// profileType is the type of a profile file, as batches and catalogues are.
const profileType = "application/vnd.markgen.profile"

// mostAge is how long ago figures may be from; older ones count as that old, so that a clock that was wrong makes no
// days that nobody can have data of.
const mostAge = 400 * 24 * time.Hour

// A receipt is the answer to a batch.
type receipt struct {
	Known   bool `json:"known"`   // it had come before
	Markers int  `json:"markers"` // whose figures were added now
}

// putBatch takes a batch. It is answered when the store has it safe.
func (s *Server) putBatch(w http.ResponseWriter, r *http.Request) error {
	id, err := batchID(r)
	if err != nil {
		return err
	}
	age, err := ageOf(r)
	if err != nil {
		return err
	}
	declined, err := declinedOf(r)
	if err != nil {
		return err
	}
	packed, err := bodyForm(r)
	if err != nil {
		return err
	}
	rate := s.rates.of(r, knownOf(r).token, s.Now())
	if err := rate.request(s.Now()); err != nil {
		return err
	}
	body, giveBack, err := s.body(w, r, packed)
	if err != nil {
		return err
	}
	defer giveBack()
	// Who hangs up does not end it: what was read may as well be kept, and need not be sent again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.AnswerTime)
	defer cancel()
	p, done, err := s.decode(ctx, body)
	if err != nil {
		return err
	}
	defer done()
	if err := rate.take(s.Now(), len(p.Markers)); err != nil {
		return err
	}
	batch := &fleet.Batch{ID: id, Origin: fleet.OriginOf(p), Day: fleet.DayOf(s.Now().Add(-age)), Profile: p, Body: body, Token: knownOf(r).token}
	batch.ID.Build = batch.Origin.Build
	got, err := s.store.Ingest(ctx, batch)
	if got.NewOrigin {
		rate.origin(s.Now())
	}
	if err != nil {
		return err
	}
	s.metrics.batch(got, declined)
	status := http.StatusCreated
	if got.Known {
		status = http.StatusOK
	}
	text, err := json.Marshal(receipt{got.Known, got.Markers})
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // who has gone will ask again, and be told that it is known
	return nil
}

// batchID is the batch's as the path has it; the build is in the body.
func batchID(r *http.Request) (id fleet.BatchID, err error) {
	if id.Run, err = fleet.ParseRunID(r.PathValue("run")); err != nil {
		return id, badRequest.problem("%.100v", err)
	}
	if id.Run.String() != r.PathValue("run") {
		return id, badRequest.problem("a run is written with lower-case digits")
	}
	text := r.PathValue("sequence")
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n > math.MaxInt32 || strconv.FormatUint(n, 10) != text {
		return id, badRequest.problem("%.40q is no sequence; give a whole number from 0 to %d", text, math.MaxInt32)
	}
	id.Sequence = uint32(n)
	return id, nil
}

// ageOf is how long ago the figures were taken, by the client's own clock.
func ageOf(r *http.Request) (time.Duration, error) {
	text := r.Header.Get("Markgen-Age")
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(seconds) {
		return 0, badRequest.problem("Markgen-Age: %.40q is no number of seconds", text)
	}
	return time.Duration(min(max(seconds, 0), mostAge.Seconds()) * float64(time.Second)), nil
}

// declinedOf is how many processes did not collect, since the spool that the batch is from was full.
func declinedOf(r *http.Request) (uint64, error) {
	text := r.Header.Get("Markgen-Declined")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 48)
	if err != nil {
		return 0, badRequest.problem("Markgen-Declined: %.40q is no number of processes", text)
	}
	return n, nil
}

// bodyForm checks what the request says of its body, and tells whether it is packed with gzip.
func bodyForm(r *http.Request) (packed bool, err error) {
	is, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || is != profileType {
		return false, mediaType.problem("Content-Type is %.60q; a batch is %s", r.Header.Get("Content-Type"), profileType)
	}
	switch coding := strings.ToLower(strings.Join(r.Header.Values("Content-Encoding"), ",")); coding {
	case "", "identity":
		return false, nil
	case "gzip", "x-gzip":
		return true, nil
	default:
		return false, mediaType.problem("Content-Encoding is %.60q; gzip is taken, and none", coding)
	}
}

// decoders is how many batches are read at once: one a processor, as more would need more memory and be no faster.
func decoders() int { return runtime.GOMAXPROCS(0) }

// mostUnpacked is how many times as long as a batch may be the names in it can become. markgen packs them to a tenth to a
// twentieth.
const mostUnpacked = 4

// figuresSize is how many bytes the figures of a profile file take when they are read, about: markers in memory are some
// 15 times as large as in a file, and their names are there twice for a moment.
func figuresSize(file int64, names uint64) int64 { return 15*file + 2*int64(names) }

// decode reads and checks a batch. It waits until there is memory for it, which done gives back when the batch is in
// the store.
func (s *Server) decode(ctx context.Context, body []byte) (p *profile.Profile, done func(), err error) {
	names, err := codec.NamesSize(body)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	if names > mostUnpacked*uint64(s.MaxBatch) {
		return nil, nil, tooLarge.problem("the names in the profile become %d bytes, and %d is the most here; send fewer markers in a batch", names, mostUnpacked*s.MaxBatch)
	}
	size := figuresSize(int64(len(body)), names)
	if s.figures.Acquire(ctx, size) != nil {
		return nil, nil, busy.problem("the batch waited for others until its time was over; try again later")
	}
	release := func() { s.figures.Release(size) }
	defer func() {
		if err != nil {
			release()
		}
	}()
	s.decoding <- struct{}{} // for no longer than a few others take to be read
	defer func() { <-s.decoding }()
	if p, err = codec.Decode(body, "batch"); err != nil {
		return nil, nil, unreadable(err)
	}
	if err := s.check(p); err != nil {
		return nil, nil, err
	}
	return p, release, nil
}

// unreadable is what to tell of a profile file that can't be read.
func unreadable(err error) *fleet.Problem {
	var version *codec.VersionError
	if errors.As(err, &version) {
		return profileVersion.problem("it is of version %d, and this server reads version %d; use a markgen of the server's version, or have the server brought to yours", version.File, version.Known)
	}
	return notAProfile.problem("%.300v", err)
}
