package reporttest

import (
	"errors"
	"fmt"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
)

// Sources returns the source files of the demo.
func Sources(_, file string, std bool) (report.Source, error) {
	switch file {
	case "cart/price.go":
		return report.Source{Text: "package cart\n\nfunc (c *Cart) Total() {\n\tfor range c.items {\n\t}\n}\n", Changed: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}, nil
	case "cmd/shop/main.go":
		return report.Source{}, errors.New("not found")
	}
	return report.Source{}, fmt.Errorf("%s was not in the run", file)
}

// Few returns the last n markers of a synthetic profile, which have callers.
func Few(n int) *profile.Profile {
	p := profiletest.Random(n, 1)
	p.Markers = p.Markers[n-3:]
	return p
}

// Hostile is a text that attacks places where text from data is inserted into a page.
const Hostile = "</script><img src=x onerror=\"alert(1)\"><script>alert(2)</script>{{.}}<!--'`${alert(3)}\u202e\x00"

// HostileProfile returns a profile with that text everywhere.
func HostileProfile() *profile.Profile {
	p := Few(51)
	p.App, p.Run, p.Go, p.GOOS, p.State, p.Clock.Kind = Hostile, Hostile, Hostile, Hostile, Hostile, Hostile
	p.Complete = false
	p.Warnings = []string{Hostile}
	for i := range p.Markers {
		m := &p.Markers[i]
		m.Name, m.Kind, m.File, m.Off, m.Group = fmt.Sprint(i, Hostile), Hostile, Hostile+".go", Hostile, Hostile
		m.Readings = []profile.Reading{{Collector: Hostile, Scopes: 3, Values: []profile.Value{{Name: Hostile, Sum: 7}}}}
		for k := range m.Callers {
			m.Callers[k].Name = Hostile
		}
	}
	return p
}
