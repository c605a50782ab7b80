package spool

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ProfileType is the media type of a batch.
const ProfileType = "application/vnd.markgen.profile"

// A Target is where batches are sent to, and by whom.
type Target struct {
	Server  *url.URL // of the service: https://markgen.example.com; a path is kept before the service's own
	Token   string   // with the scope ingest; "": none is sent
	Version string   // of the client
}

// request is the request that sends a batch. All that leaves the machine is in it, but for what HTTP and TLS need by themselves.
func (t Target) request(ctx context.Context, d *note, sequence uint32, body []byte, now moment) (*http.Request, error) {
	packed, err := pack(body)
	if err != nil {
		return nil, err
	}
	at := t.Server.JoinPath("v1", "batches", d.Run, strconv.FormatUint(uint64(sequence), 10))
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, at.String(), bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	h := r.Header
	h.Set("Content-Type", ProfileType)
	h.Set("Content-Encoding", "gzip")
	h.Set("Accept", "application/json, application/problem+json")
	h.Set("Accept-Encoding", "identity")
	h.Set("User-Agent", "markgen")
	h.Set("Markgen-Version", t.Version)
	h.Set("Markgen-Age", strconv.FormatInt(int64(d.age(now)/time.Second), 10))
	if d.Declined > 0 && sequence == d.First {
		h.Set("Markgen-Declined", strconv.FormatInt(d.Declined, 10))
	}
	if t.Token != "" {
		h.Set("Authorization", "Bearer "+t.Token)
	}
	return r, nil
}

// age is how old the figures of a delivery are.
func (n *note) age(now moment) time.Duration {
	return max(0, time.Duration(n.AgeNS)) + now.since(n.Frozen)
}

// pack packs a body for sending.
func pack(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // without a name and a time
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// mostAnswer is how much of an answer is read.
const mostAnswer = 64 << 10

// readAnswer reads what there is of an answer's body.
func readAnswer(r *http.Response) []byte {
	body, _ := io.ReadAll(io.LimitReader(r.Body, mostAnswer)) // what came until the connection was cut is as good
	return body
}
