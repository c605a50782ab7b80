package server

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
)

// Options configures a Server. A zero field has the default given in its comment.
type Options struct {
	Catalogue Catalogue // the source of lists; required

	// Pages answers GET and HEAD for paths outside the API, for clients that may read. If nil there
	// are no pages.
	Pages http.Handler

	// Assets is the path prefix of public pages, such as style sheets; "" if none are public.
	Assets string

	// MergePage reports whether a page sums the statistics of any number of APIs. If nil, none
	// does.
	MergePage func(*http.Request) bool

	// Login writes a page with a login form, which sends the fields token and next with POST to
	// /login. If nil, a plain page is used.
	Login func(w http.ResponseWriter, r *http.Request, status int, form Login)

	// PageProblem writes an error page for a browser. If nil, a problem document is sent.
	PageProblem func(http.ResponseWriter, *http.Request, *fleet.Problem)

	PublicRead   bool // reading needs no token
	PublicIngest bool // sending batches needs no token

	// Hosts are additional names under which requests without a token are accepted. They only
	// matter if Local is set.
	Hosts []string

	// Local says that the server is for its own machine: then a request without a token must use an
	// address, localhost, or one of Hosts as host name. This prevents DNS rebinding, where another
	// site's page has its name resolve to this machine.
	Local bool

	MaxBatch   int64         // max bytes of a batch, decompressed; 1 MiB
	MaxMarkers int           // max markers of a batch, and max call paths; 20,000
	MaxName    int           // max bytes of a marker's name, and of other texts; 1,000
	MaxBodies  int64         // max bytes of all request bodies in memory; 32 MiB
	MaxRead    int64         // approximate max bytes of decoded batches that the store does not have yet; 64 MiB
	MaxMerged  int           // max APIs summed for one answer, for each of the compared builds; 50,000
	MaxAnswers int64         // max bytes of such answers in memory, until sent; 32 MiB
	MergeWait  time.Duration // max wait of such a request for those before it; 10 s
	Rate       float64       // marker rows and call paths per second for each token, or for each address without token; 100,000; negative for no limit. See rates
	BodyTime   time.Duration // max time for receiving a request's body; 15 s
	AnswerTime time.Duration // max time for storing a batch, and for summing statistics; 30 s
	Version    string        // markgen's version, for metrics and ETags

	Now func() time.Time // time.Now
	Log *slog.Logger     // slog.Default()
}

func (o Options) withDefaults() Options {
	o.MaxBatch = cmp.Or(o.MaxBatch, 1<<20)
	o.MaxMarkers = cmp.Or(o.MaxMarkers, 20_000)
	o.MaxName = cmp.Or(o.MaxName, 1000)
	o.MaxBodies = max(cmp.Or(o.MaxBodies, 32<<20), 2*o.MaxBatch)
	o.MaxRead = max(cmp.Or(o.MaxRead, 64<<20), figuresSize(o.MaxBatch, maxNamesRatio*uint64(o.MaxBatch)))
	o.MaxMerged = cmp.Or(o.MaxMerged, 50_000)
	o.MaxAnswers = cmp.Or(o.MaxAnswers, 32<<20)
	o.MergeWait = cmp.Or(o.MergeWait, 10*time.Second)
	o.Rate = cmp.Or(o.Rate, 100_000)
	o.BodyTime = cmp.Or(o.BodyTime, 15*time.Second)
	o.AnswerTime = cmp.Or(o.AnswerTime, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	return o
}

// A Store is the part of *store.Store that a server uses.
type Store interface {
	Ingest(context.Context, *fleet.Batch) (fleet.Receipt, error)
	Settle(context.Context) error
	Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (next store.Cursor, more bool, err error)
	State(context.Context) (string, error)
	API(context.Context, registry.ID) (*fleet.API, error)
	Figures(context.Context, registry.ID, fleet.Filter, fleet.Grouping) ([]fleet.Group, error)
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
	Paths(ctx context.Context, f fleet.Filter) (*profile.Profile, error)
	Each(ctx context.Context, f fleet.Filter, visit func(*profile.Marker) error) error
	Origins(context.Context, fleet.Filter) ([]fleet.OriginSum, error)
	Status() store.Status
	AddToken(context.Context, store.Token) error
	Tokens(context.Context) ([]store.Token, error)
	RevokeToken(ctx context.Context, id string) error
	SessionKey() []byte
	Remove(context.Context, store.Removal) (store.Removed, error)
	Backup(context.Context, io.Writer) error
	Ping(context.Context) error
}
