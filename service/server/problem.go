package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/service/store"
)

// A kind is a kind of problem. word is the end of its type URL and never changes; docs/reference/http-api.md has
// a line for each.
type kind struct {
	word   string
	status int
	title  string
}

// All kinds, ordered by status.
var (
	badRequest     = kind{"bad-request", http.StatusBadRequest, "The request can't be understood"}
	badEncoding    = kind{"bad-encoding", http.StatusBadRequest, "The body is not what Content-Encoding says"}
	tokenMissing   = kind{"token-missing", http.StatusUnauthorized, "A token is needed"}
	tokenUnknown   = kind{"token-unknown", http.StatusUnauthorized, "The token is not known"}
	tokenExpired   = kind{"token-expired", http.StatusUnauthorized, "The token has expired"}
	tokenRevoked   = kind{"token-revoked", http.StatusUnauthorized, "The token was revoked"}
	scopeMissing   = kind{"scope-missing", http.StatusForbidden, "The token is not for this"}
	crossOrigin    = kind{"cross-origin", http.StatusForbidden, "The request comes from another site's page"}
	notFound       = kind{"not-found", http.StatusNotFound, "There is no such thing"}
	badMethod      = kind{"method-not-allowed", http.StatusMethodNotAllowed, "The method is not for this path"}
	notAcceptable  = kind{"not-acceptable", http.StatusNotAcceptable, "There is no such form of the answer"}
	tooSlow        = kind{"too-slow", http.StatusRequestTimeout, "The body did not come in time"}
	batchConflict  = kind{"batch-conflict", http.StatusConflict, "Another batch has come by this ID"}
	tooLarge       = kind{"too-large", http.StatusRequestEntityTooLarge, "The batch is too large"}
	mediaType      = kind{"media-type", http.StatusUnsupportedMediaType, "The body is of a type that is not taken"}
	wrongHost      = kind{"wrong-host", http.StatusMisdirectedRequest, "The server does not go by this name"}
	notAProfile    = kind{"not-a-profile", http.StatusUnprocessableEntity, "The body is no profile file that can be read"}
	profileVersion = kind{"profile-version", http.StatusUnprocessableEntity, "The profile file is of another version"}
	profileRefused = kind{"profile-refused", http.StatusUnprocessableEntity, "What is in the profile file is not taken"}
	rateLimit      = kind{"rate-limit", http.StatusTooManyRequests, "More comes than the token may send"}
	readLimit      = kind{"read-limit", http.StatusTooManyRequests, "More is asked for than the server adds up"}
	broken         = kind{"internal", http.StatusInternalServerError, "The server has an error"}
	storeGone      = kind{"store-gone", http.StatusServiceUnavailable, "The store can't be reached"}
	storeReadOnly  = kind{"store-read-only", http.StatusServiceUnavailable, "The store can't be written to"}
	busy           = kind{"busy", http.StatusServiceUnavailable, "More comes than the server can take"}
	draining       = kind{"draining", http.StatusServiceUnavailable, "The server is about to end"}
	storeFull      = kind{"store-full", http.StatusInsufficientStorage, "The store is full"}
	kinds          = []kind{
		badRequest, badEncoding, tokenMissing, tokenUnknown, tokenExpired, tokenRevoked, scopeMissing, crossOrigin, notFound, badMethod,
		notAcceptable, tooSlow, batchConflict, tooLarge, mediaType, wrongHost, notAProfile, profileVersion, profileRefused, rateLimit, readLimit,
		broken, storeGone, storeReadOnly, busy, draining, storeFull,
	}
)

// retries has the time after which a request may be repeated.
var retries = map[kind]time.Duration{
	tooSlow:       5 * time.Second,
	storeGone:     10 * time.Second,
	storeReadOnly: time.Minute,
	readLimit:     5 * time.Second,
	busy:          2 * time.Second,
	draining:      5 * time.Second,
	storeFull:     10 * time.Minute,
}

// problem returns a problem of the kind; the detail says what is wrong with the request and what to
// do.
func (k kind) problem(format string, args ...any) *fleet.Problem {
	return &fleet.Problem{
		Type:       problemPath + k.word,
		Title:      k.title,
		Status:     k.status,
		Detail:     fmt.Sprintf(format, args...),
		RetryAfter: retries[k],
	}
}

// problemPath is the path prefix of problem types; a GET there explains the type.
const problemPath = "/problems/"

// problemOf returns the problem for an error of the store, or err itself if it is one.
func problemOf(err error) *fleet.Problem {
	var p *fleet.Problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, store.ErrConflict):
		return batchConflict.problem("a batch with this build, run and sequence came before, and its bytes were others; it was counted, this one is not. Don't send it again")
	case errors.Is(err, store.ErrFull):
		return storeFull.problem("neither the disk nor the server's limits on APIs and origins have room for it; keep it and try again later")
	case errors.Is(err, store.ErrReadOnly):
		return storeReadOnly.problem("nothing can be added at present; keep the batch and try again later")
	case errors.Is(err, store.ErrBehind):
		return busy.problem("the store is behind; try again later")
	case errors.Is(err, store.ErrGone), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return storeGone.problem("the database does not answer; try again later")
	case errors.Is(err, store.ErrNotFound):
		return notFound.problem("the store has no such thing")
	case errors.Is(err, store.ErrCursor):
		return badRequest.problem("that is no cursor of this store, which may have been restored since; give the one that came with the answer before, or none and begin anew")
	case errors.Is(err, store.ErrNewer):
		return storeGone.problem("the database was brought to a newer form than this server knows; it needs a newer markgen")
	}
	return broken.problem("the log of the server has more")
}

// explain answers GET /problems/{word} with an explanation for people.
func (s *Server) explain(w http.ResponseWriter, r *http.Request) error {
	for _, k := range kinds {
		if k.word == r.PathValue("word") {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.Header().Set("Cache-Control", "public, max-age=86400")
			fmt.Fprintf(w, "%s: %s (status %d). docs/reference/http-api.md of markgen says what to do.\n", k.word, k.title, k.status)
			return nil
		}
	}
	return notFound.problem("there is no type of problem %.80q", r.PathValue("word"))
}
