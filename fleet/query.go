package fleet

import (
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/glob"
)

// A Filter selects statistics. The zero value selects all. Except for Kind, the strings up to CPU
// are patterns, in which * matches any text and ? one byte, as in the key only of MARKGEN; ""
// matches everything.
type Filter struct {
	Package  string // import path
	Function string // marker's name without package and dot
	Kind     string // "func", "loop" …; not a pattern
	Build    string
	Go       string
	GOOS     string
	GOARCH   string
	CPU      string
	From, To Day // first and last day; 0 for no limit

	// Of is the grouping of Key: ByBuild, ByGo, ByGOOS, ByGOARCH or ByCPU. It further limits the
	// selection to origins whose Key(Of) is Key, which is not a pattern. With another value of Of,
	// Key is ignored.
	Of  Grouping
	Key string
}

// FitsOrigin reports whether the filter selects statistics of an origin.
func (f *Filter) FitsOrigin(o *Origin) bool {
	return (f.Of == NoGrouping || f.Of == ByDay || o.Key(f.Of) == f.Key) && fits(f.Build, o.Build) && fits(f.Go, o.Go) && fits(f.GOOS, o.GOOS) && fits(f.GOARCH, o.GOARCH) && fits(f.CPU, o.CPU)
}

// FitsAPI reports whether the filter selects an API, whatever its origins and days.
func (f *Filter) FitsAPI(a *API) bool {
	return fits(f.Package, a.Package) && fits(f.Function, a.Function()) && (f.Kind == "" || f.Kind == a.Kind)
}

func fits(pattern, text string) bool { return pattern == "" || glob.Match(pattern, text) }

// PlainName returns a name, or a part of one as typed by a user, without the signs of a receiver:
// "(*", and the closing parenthesis if it is there.
func PlainName(name string) string {
	for {
		before, rest, ok := strings.Cut(name, "(*")
		if !ok {
			return name
		}
		name = before + strings.Replace(rest, ")", "", 1)
	}
}

// An API is a marker in the catalogue, with its sums over all origins and days.
type API struct {
	ID      registry.ID
	Name    string // full name: bytes.(*Buffer).Write
	Package string // import path; prefix of Name
	Kind    string
	File    string // relative to its module
	Line    int
	First   time.Time       // first arrival of statistics, by the service's clock
	Changed time.Time       // last arrival of statistics
	Runs    uint64          // number of runs with calls of it; of a run sent in parts, the first part with it counts
	Count   uint64          // calls; saturates
	TotalNS profile.Uint128 // recursive calls count in the outer one only
	MeanNS  float64         // mean of the timed calls, as in profile.Marker: including recursive calls, each with its full time
	MaxNS   uint64
	Origins uint64 // number of origins with statistics of it
}

// Function returns the API's name without the package.
func (a *API) Function() string {
	if len(a.Package) < len(a.Name) && a.Package != "" {
		return a.Name[len(a.Package)+1:]
	}
	return a.Name
}

// A Grouping is a grouping of statistics.
type Grouping string

// Groupings.
const (
	NoGrouping Grouping = ""
	ByBuild    Grouping = "build"
	ByGo       Grouping = "go"
	ByGOOS     Grouping = "goos"
	ByGOARCH   Grouping = "goarch"
	ByCPU      Grouping = "cpu"
	ByDay      Grouping = "day"
)

// A Group is the part of an API's statistics with one key.
type Group struct {
	Key    string // build, Go version …; a day as String writes it; "" with NoGrouping
	Runs   uint64
	Marker profile.Marker
}
