package overlay_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

// A web server's routes share handlers. Labels tell exactly how much work each route does, whether the
// routes are requested in turn or alone, and in a sample, which has exact counts only in all.
func TestRoutes(t *testing.T) {
	tier.Corpus(t)
	dir := trapCopy(t, nil, "routes")
	trapMust(t, dir, []string{"GOWORK=off"}, trapMarkgen(t), "build", "-funcs", "-o", "routes", ".")
	routes := []string{"/cart", "/item", "/search"}
	run := func(keys string, routes ...string) (*profile.Profile, string) {
		data := filepath.Join(t.TempDir(), "data")
		r := trapRun(t, dir, []string{"MARKGEN=" + keys + ",file=" + data}, filepath.Join(dir, "routes"), append([]string{"50"}, routes...)...)
		p, err := runfile.Read(data)
		if err != nil || !p.Complete {
			t.Fatalf("%v, %+v\n%s", err, p, r.stderr)
		}
		profiletest.CheckPaths(t, p)
		return p, r.stdout
	}
	check := func(keys string, routes ...string) {
		t.Helper()
		p, want := run(keys, routes...)
		var got strings.Builder
		for _, route := range routes {
			fmt.Fprintln(&got, route, inRoute(p, route, "ServeHTTP"), inRoute(p, route, "unit"))
		}
		if got.String() != want {
			t.Errorf("%s: the paths have\n%swant\n%s", keys, got.String(), want)
		}
	}
	check("paths", routes...)
	for _, route := range routes {
		check("paths", route)
	}
	p, _ := run("paths,sample=1:4", routes...)
	all := uint64(0)
	for _, route := range routes {
		all += inRoute(p, route, "unit")
	}
	if want := uint64(50 * (9 + 7 + 20)); all != want {
		t.Errorf("a sample has %d units, want %d", all, want)
	}
}

// inRoute returns how often a function was called in requests of a route.
func inRoute(p *profile.Profile, route, function string) (count uint64) {
	names := map[any]string{}
	for i := range p.Markers {
		names[p.Markers[i].ID] = p.Markers[i].Name
	}
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		if outer := p.Paths.Nodes[p.Paths.Chain(i)[0]]; outer.Label == route && strings.HasSuffix(names[n.ID], "."+function) {
			count += n.Count
		}
	}
	return count
}
