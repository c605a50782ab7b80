package fleet

import "github.com/markgen/markgen/profile"

// An Origin is where figures come from: a build of a program, and the kind of machine it ran on. Runs of equal origin
// are added up. All texts are as the program had them, "" where that is not known.
type Origin struct {
	Build  string // main package, "@" and version: example.com/shop/cmd/shop@v1.4.2
	Go     string // version that built it: go1.26.8
	GOOS   string
	GOARCH string
	CPU    string // model: AMD EPYC 7B13
}

// OriginOf is the origin of a profile.
func OriginOf(p *profile.Profile) Origin {
	return Origin{Build: p.Build(), Go: p.Go, GOOS: p.GOOS, GOARCH: p.GOARCH, CPU: p.CPU}
}
