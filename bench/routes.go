package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
)

// routeRounds is how often each route is requested in a run.
const routeRounds = "20"

// routes measures how well labels tell apart what shares handlers: the times of the routes of a web
// server that are requested in turn, against those in runs with one route each, and their shares of the
// time against those of the work. Of times the least of several runs is taken on both sides, since other
// processes only add to them; they add as much to each route.
func (b *bench) routes(ctx context.Context) error {
	dir, err := moduleDir(ctx)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "..", "testdata", "routes")
	program := filepath.Join(b.work, "routes")
	if _, err := runProcess(ctx, dir, []string{b.markgenCache(), "GOWORK=off"}, b.markgen, "build", "-funcs", "-o", program, "."); err != nil {
		return err
	}
	names := []string{"/cart", "/item", "/search"}
	work := map[string]float64{"/cart": 9, "/item": 7, "/search": 20} // units, as in the program
	shares := map[string][]float64{}
	together, alone := map[string][]float64{}, map[string][]float64{} // ns
	measure := func(times map[string][]float64, routes ...string) error {
		data := filepath.Join(b.work, "routes.markgen")
		defer os.Remove(data)
		if _, err := runProcess(ctx, b.work, []string{"MARKGEN=paths,file=" + data}, append([]string{program, routeRounds}, routes...)...); err != nil {
			return err
		}
		p, err := runfile.Read(data)
		if err != nil {
			return err
		}
		for _, route := range routes {
			ns := float64(routeTime(p, route))
			times[route] = append(times[route], ns)
		}
		return nil
	}
	for range b.roundsOr(30) {
		if err := measure(together, names...); err != nil {
			return err
		}
		last := len(together[names[0]]) - 1
		all := together[names[0]][last] + together[names[1]][last] + together[names[2]][last]
		for _, route := range names {
			shares[route] = append(shares[route], together[route][last]/all)
			if err := measure(alone, route); err != nil {
				return err
			}
		}
	}
	for _, route := range names {
		share, part := median(shares[route]), work[route]/(9+7+20)
		b.record("the share of "+route+" is off by", atMost(0.02), max(share-part, part-share)/part, fmt.Sprintf("%.4f of the time, %.4f of the work", share, part))
		of, want := slices.Min(together[route]), slices.Min(alone[route])
		b.record("the time of "+route+" is off by", atMost(0.02), max(of-want, want-of)/want, fmt.Sprintf("%.2f ms among others, %.2f alone", of/1e6, want/1e6))
	}
	return nil
}

// routeTime returns the time of the outermost scopes with a label, in ns.
func routeTime(p *profile.Profile, route string) (ns uint64) {
	for i := range p.Paths.Nodes {
		if n := &p.Paths.Nodes[i]; n.Parent < 0 && n.Label == route {
			ns += n.TotalNS()
		}
	}
	return ns
}
