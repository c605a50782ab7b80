package fleet

import (
	"strings"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/runtime/glob"
)

// A Filter chooses figures. Its zero value chooses all. The texts up to CPU are patterns, in which * stands for any text and ?
// for one byte, as in the key only of MARKGEN; "" fits everything.
type Filter struct {
	Package  string // import path
	Function string // a marker's name without the package and the dot
	Kind     string // "func", "loop" …; no pattern
	Build    string
	Go       string
	GOOS     string
	GOARCH   string
	CPU      string
	From, To Day // the first and the last day; 0 is the first and the last there are

	// Of is what Key is of: ByBuild, ByGo, ByGOOS, ByGOARCH or ByCPU. Then figures are chosen whose Origin.Key is Key, which
	// is no pattern, besides. Of others all are.
	Of  By
	Key string
}

// FitsOrigin tells whether the filter chooses figures of an origin.
func (f *Filter) FitsOrigin(o *Origin) bool {
	return (f.Of == ByNothing || f.Of == ByDay || o.Key(f.Of) == f.Key) && fits(f.Build, o.Build) && fits(f.Go, o.Go) && fits(f.GOOS, o.GOOS) && fits(f.GOARCH, o.GOARCH) && fits(f.CPU, o.CPU)
}

// FitsAPI tells whether the filter chooses an API, whatever origins and days it has figures of.
func (f *Filter) FitsAPI(a *API) bool {
	return fits(f.Package, a.Package) && fits(f.Function, a.Function()) && (f.Kind == "" || f.Kind == a.Kind)
}

func fits(pattern, text string) bool { return pattern == "" || glob.Match(pattern, text) }

// PlainName is a name, or a part of one that somebody has typed, without the signs of a receiver: "(*", and the parenthesis
// that closes it if that is there already.
func PlainName(name string) string {
	for {
		before, rest, ok := strings.Cut(name, "(*")
		if !ok {
			return name
		}
		name = before + strings.Replace(rest, ")", "", 1)
	}
}

// An API is a marker that the catalogue knows, and its sums over all origins and days.
type API struct {
	ID      registry.ID
	Name    string // whole: bytes.(*Buffer).Write
	Package string // import path, with which Name begins
	Kind    string
	File    string // relative to its module
	Line    int
	First   time.Time       // when figures of it came first, by the service's clock
	Changed time.Time       // when figures of it came last
	Runs    uint64          // in how many it was passed; of a run that is sent bit by bit, the first bit with it counts
	Count   uint64          // passages; stays at the largest number
	TotalNS profile.Uint128 // recursive passages count in the time of the outer one only
	MeanNS  float64         // of the passages with a time, as profile.Marker has it: recursive ones, too, each in its whole time
	MaxNS   uint64
	Origins uint64 // of which it has figures
}

// Function is the API's name without the package.
func (a *API) Function() string {
	if len(a.Package) < len(a.Name) && a.Package != "" {
		return a.Name[len(a.Package)+1:]
	}
	return a.Name
}

// By says by what figures are told apart.
type By string

// What figures can be told apart by.
const (
	ByNothing By = ""
	ByBuild   By = "build"
	ByGo      By = "go"
	ByGOOS    By = "goos"
	ByGOARCH  By = "goarch"
	ByCPU     By = "cpu"
	ByDay     By = "day"
)

// A Group is the figures of an API that have a build, or whatever they were told apart by, in common.
type Group struct {
	Key    string // the build, the Go version …; a day as String writes it; "" of all
	Runs   uint64
	Marker profile.Marker
}
