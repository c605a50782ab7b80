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

// Options of a Server. Zero values have the defaults that are given.
type Options struct {
	Catalogue Catalogue // what lists are made from; has to be given

	// Pages answers GET and HEAD of what is no path of the API, for those who may read; nil: there is nothing.
	Pages http.Handler

	// Assets is the path below which Pages has what is open to all, such as style sheets; "": nothing is.
	Assets string

	// WidePage tells whether a page adds up the figures of any number of APIs; nil: none does.
	WidePage func(*http.Request) bool

	// Login answers with the page that has the form for a token, sent with POST to /login with the fields token and next;
	// nil: with a plain one.
	Login func(w http.ResponseWriter, r *http.Request, status int, form Login)

	// PageProblem answers a browser that may not see a page; nil: with a problem document.
	PageProblem func(http.ResponseWriter, *http.Request, *fleet.Problem)

	PublicRead   bool // reading needs no token
	PublicIngest bool // sending batches needs no token

	// Hosts are names, besides addresses and localhost, that requests without a token may come by. They matter where
	// Local is set.
	Hosts []string

	// Local says that the server is for its own machine: then a request that needs no token has to come by a name that is
	// the machine's own or among Hosts. Otherwise a page from elsewhere could have its own name resolve to this machine.
	Local bool

	MaxBatch   int64         // bytes of a batch, unpacked; 1 MiB
	MaxMarkers int           // markers of a batch; 20,000
	MaxName    int           // bytes of a marker's name, and of all else that is a text; 1,000
	MaxBodies  int64         // bytes of bodies in memory, all together; 32 MiB
	MaxRead    int64         // bytes that the figures of batches may take from when they are read until the store has them, about; 64 MiB
	MaxMerged  int           // APIs whose figures are added up for one answer, of each build that is compared; 50,000
	MaxAnswers int64         // bytes of answers from such sums in memory, until they are sent; 32 MiB
	TurnTime   time.Duration // that a request for such a sum waits for those before it; 10 s
	Rate       float64       // marker rows a second and token, or address where there is none; 100,000; negative: no limit. See rates
	BodyTime   time.Duration // for the body of a request to come; 15 s
	AnswerTime time.Duration // for the store to take a batch or to add figures up; 30 s
	Version    string        // of markgen, for /healthz and metrics

	Now func() time.Time // time.Now
	Log *slog.Logger     // slog.Default()
}

func (o Options) withDefaults() Options {
	o.MaxBatch = cmp.Or(o.MaxBatch, 1<<20)
	o.MaxMarkers = cmp.Or(o.MaxMarkers, 20_000)
	o.MaxName = cmp.Or(o.MaxName, 1000)
	o.MaxBodies = max(cmp.Or(o.MaxBodies, 32<<20), 2*o.MaxBatch)
	o.MaxRead = max(cmp.Or(o.MaxRead, 64<<20), figuresSize(o.MaxBatch, mostUnpacked*uint64(o.MaxBatch)))
	o.MaxMerged = cmp.Or(o.MaxMerged, 50_000)
	o.MaxAnswers = cmp.Or(o.MaxAnswers, 32<<20)
	o.TurnTime = cmp.Or(o.TurnTime, 10*time.Second)
	o.Rate = cmp.Or(o.Rate, 100_000)
	o.BodyTime = cmp.Or(o.BodyTime, 15*time.Second)
	o.AnswerTime = cmp.Or(o.AnswerTime, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Log = cmp.Or(o.Log, slog.Default())
	return o
}

// A Store is what a server asks of a store: *store.Store has it.
type Store interface {
	Ingest(context.Context, *fleet.Batch) (fleet.Receipt, error)
	Settle(context.Context) error
	Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (next store.Cursor, more bool, err error)
	State(context.Context) (string, error)
	API(context.Context, registry.ID) (*fleet.API, error)
	Figures(context.Context, registry.ID, fleet.Filter, fleet.By) ([]fleet.Group, error)
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
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
