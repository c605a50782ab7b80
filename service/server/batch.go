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

// profileType is the media type of a profile file, the format of batches and catalogues.
const profileType = "application/vnd.markgen.profile"

// maxAge is the max age of statistics; older ones count as that old, so that a wrong clock does
// not create days of which nobody can have data.
const maxAge = 400 * 24 * time.Hour

// A receipt is the answer to a batch.
type receipt struct {
	Known   bool `json:"known"`   // received before
	Markers int  `json:"markers"` // number of markers added now
}

// putBatch accepts a batch. It answers when the batch is safe in the store.
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
	// Not canceled if the client hangs up: keeping what was read saves sending it again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), s.AnswerTime)
	defer cancel()
	p, done, err := s.decode(ctx, body)
	if err != nil {
		return err
	}
	defer done()
	rows := len(p.Markers)
	if p.Paths != nil {
		rows += len(p.Paths.Nodes)
	}
	if err := rate.take(s.Now(), rows); err != nil {
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
	_, _ = w.Write(append(text, '\n')) // a client that is gone sends it again and gets known
	return nil
}

// batchID returns the ID from the path, without the build, which is in the body.
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

// ageOf returns the age of the statistics, by the client's clock.
func ageOf(r *http.Request) (time.Duration, error) {
	text := r.Header.Get("Markgen-Age")
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(seconds) {
		return 0, badRequest.problem("Markgen-Age: %.40q is no number of seconds", text)
	}
	return time.Duration(min(max(seconds, 0), maxAge.Seconds()) * float64(time.Second)), nil
}

// declinedOf returns the number of processes that did not collect because the sender's spool was
// full.
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

// bodyForm checks the request's headers about its body, and reports whether that is gzipped.
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

// decoders is the max number of batches decoded at once: one per processor, as more need more
// memory and are not faster.
func decoders() int { return runtime.GOMAXPROCS(0) }

// maxNamesRatio is the max ratio of decompressed names to the max size of a batch. markgen
// compresses names to a tenth to a twentieth.
const maxNamesRatio = 4

// figuresSize estimates the bytes of memory for a decoded profile file: markers are about 15 times
// as large as in the file, and names exist twice for a moment.
func figuresSize(file int64, names uint64) int64 { return 15*file + 2*int64(names) }

// decode reads and checks a batch. It waits until there is memory for it; done releases that
// memory, when the batch is in the store.
func (s *Server) decode(ctx context.Context, body []byte) (p *profile.Profile, done func(), err error) {
	names, err := codec.NamesSize(body)
	if err != nil {
		return nil, nil, unreadable(err)
	}
	if names > maxNamesRatio*uint64(s.MaxBatch) {
		return nil, nil, tooLarge.problem("the names in the profile become %d bytes, and %d is the most here; send fewer markers in a batch", names, maxNamesRatio*s.MaxBatch)
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
	s.decoding <- struct{}{} // waits only while a few others are decoded
	defer func() { <-s.decoding }()
	var sum profile.Sum
	d := codec.Decoder{MaxPaths: s.MaxMarkers}
	if err = d.AddTo(&sum, body, "batch"); errors.Is(err, codec.ErrPaths) {
		return nil, nil, tooLarge.problem("more than %d call paths; send fewer in each", s.MaxMarkers)
	} else if err != nil {
		return nil, nil, unreadable(err)
	}
	p = sum.Finish()
	if err := s.check(p); err != nil {
		return nil, nil, err
	}
	return p, release, nil
}

// unreadable returns the problem for a profile file that can't be read.
func unreadable(err error) *fleet.Problem {
	var version *codec.VersionError
	if errors.As(err, &version) {
		return profileVersion.problem("it is of version %d, and this server reads version %d; use a markgen of the server's version, or have the server brought to yours", version.File, version.Known)
	}
	return notAProfile.problem("%.300v", err)
}
