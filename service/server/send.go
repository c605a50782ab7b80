package server

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
)

const ndjsonType = "application/x-ndjson"

// packedETag is the suffix of the ETag of a gzipped answer, whose bytes differ.
const packedETag = "-gzip"

// sendJSON sends v, or 304 if the client has it by its ETag.
func sendJSON(w http.ResponseWriter, r *http.Request, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return send(w, r, "application/json", text.Bytes())
}

// send sends text, or 304 if the client has it by its ETag.
func send(w http.ResponseWriter, r *http.Request, contentType string, text []byte) error {
	sum := sha256.Sum256(text)
	if unchanged(w, r, hex.EncodeToString(sum[:16])) {
		return nil
	}
	w.Header().Set("Content-Type", contentType)
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	_, _ = w.Write(text) // an error means that the client is gone
	return nil
}

// unchanged sets the ETag of an answer. If the client has this answer it sends 304 and returns
// true.
func unchanged(w http.ResponseWriter, r *http.Request, tag string) bool {
	h := w.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+tag+`"`)
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
		part = strings.TrimPrefix(strings.TrimSpace(part), "W/")
		if part == "*" || strings.TrimSuffix(strings.Trim(part, `"`), packedETag) == tag {
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}
