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

// A Target is the service to send to, and the client's identification.
type Target struct {
	Server  *url.URL // base URL: https://markgen.example.com; may have a path
	Token   string   // with the scope ingest; "" for none
	Version string   // of the client
}

// request returns the request that sends a batch. It contains all that leaves the machine, except
// what HTTP and TLS add.
func (t Target) request(ctx context.Context, d *note, sequence uint32, body []byte, now instant) (*http.Request, error) {
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

// age returns the age of a delivery's statistics.
func (n *note) age(now instant) time.Duration {
	return max(0, time.Duration(n.AgeNS)) + now.since(n.Frozen)
}

// pack compresses a body.
func pack(body []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // without name and time
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	err := w.Close()
	return b.Bytes(), err
}

// maxAnswer is the max number of bytes read of an answer.
const maxAnswer = 64 << 10

// readAnswer reads an answer's body.
func readAnswer(r *http.Response) []byte {
	body, _ := io.ReadAll(io.LimitReader(r.Body, maxAnswer)) // if the connection fails, use what arrived
	return body
}
