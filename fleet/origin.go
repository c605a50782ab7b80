package fleet

import (
	"time"

	"github.com/markgen/markgen/profile"
)

// An Origin is where figures come from: a build of a program, and the kind of machine it ran on. Runs of equal origin
// are added up. All texts are as the program had them, "" where that is not known.
type Origin struct {
	Build  string `json:"build"` // main package, "@" and version: example.com/shop/cmd/shop@v1.4.2
	Go     string `json:"go"`    // version that built it: go1.26.8
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	CPU    string `json:"cpu"` // model: AMD EPYC 7B13
}

// Key is what figures from there have in common when they are told apart by by; "" where that is not known, or does not
// depend on the origin.
func (o *Origin) Key(by By) string {
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

// An OriginSum is an origin and what came from there.
type OriginSum struct {
	Origin
	First   time.Time `json:"first"`   // when figures of it came first, by the service's clock, UTC
	Changed time.Time `json:"changed"` // when they came last, UTC
	Runs    uint64    `json:"runs"`
	Batches uint64    `json:"batches"`
}

// OriginOf is the origin of a profile.
func OriginOf(p *profile.Profile) Origin {
	return Origin{Build: p.Build(), Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, CPU: p.CPU}
}
