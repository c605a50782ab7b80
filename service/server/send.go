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

// packedETag is what stands behind the ETag of an answer that is packed: its bytes are others.
const packedETag = "-gzip"

// sendJSON answers with a value. Who has it already, by its ETag, is told so.
func sendJSON(w http.ResponseWriter, r *http.Request, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return send(w, r, "application/json", text.Bytes())
}

// send answers with a text that is whole.
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
	_, _ = w.Write(text) // an error is the client's, who has gone
	return nil
}

// unchanged sets the ETag of an answer, and tells whether the client has that answer; then it is told so.
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
