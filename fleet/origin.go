package fleet

import (
	"time"

	"github.com/markgen/markgen/profile"
)

// An Origin is a source of statistics: a build of a program, and the kind of machine it ran on.
// Runs of equal origin are summed. Texts are as the program recorded them, "" if unknown.
type Origin struct {
	Build  string `json:"build"` // main package, "@" and version: example.com/shop/cmd/shop@v1.4.2
	Go     string `json:"go"`    // Go version that built it: go1.26.8
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	CPU    string `json:"cpu"` // model: AMD EPYC 7B13
}

// Key returns the key of the origin in a grouping; "" if it is unknown, or the grouping does not
// depend on the origin.
func (o *Origin) Key(by Grouping) string {
	switch by {
	case ByBuild:
		return o.Build
	case ByGo:
		return o.Go
	case ByGOOS:
		return o.GOOS
	case ByGOARCH:
		return o.GOARCH
	case ByCPU:
		return o.CPU
	}
	return ""
}

// An OriginSum is an origin with numbers of what it sent.
type OriginSum struct {
	Origin
	First   time.Time `json:"first"`   // first arrival, by the service's clock, UTC
	Changed time.Time `json:"changed"` // last arrival, UTC
	Runs    uint64    `json:"runs"`
	Batches uint64    `json:"batches"`
}

// OriginOf returns the origin of a profile.
func OriginOf(p *profile.Profile) Origin {
	return Origin{Build: p.Build(), Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, CPU: p.CPU}
}
