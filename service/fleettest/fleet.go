// Package fleettest simulates a fleet that sends to the service, for tests and benchmarks: profiles
// of several builds of several programs on several kinds of machines, and clients that send them
// over a very unreliable network.
//
// Only tests and benchmarks import it.
package fleettest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/registry"
)

// A Fleet consists of programs, builds of each, and kinds of machines that run all of them. A zero
// field means 1.
type Fleet struct {
	Programs int
	Builds   int // of each program
	CPUs     int
	Markers  int // of each program
}

// Origins returns the number of origins.
func (f Fleet) Origins() int { return max(f.Programs, 1) * max(f.Builds, 1) * max(f.CPUs, 1) }

// A Source makes profiles of one origin.
type Source struct {
	program profile.Profile // with the markers that have calls
}

// Source returns the source of origin i, 0 ≤ i < Origins.
func (f Fleet) Source(i int) *Source {
	cpu := i % max(f.CPUs, 1)
	i /= max(f.CPUs, 1)
	build := i % max(f.Builds, 1)
	program := i / max(f.Builds, 1)

	p := profiletest.Random(max(f.Markers, 1), uint64(program))
	prefix := fmt.Sprintf("example.com/program%02d", program)
	p.App = fmt.Sprintf("program%02d", program)
	p.Main = prefix
	p.Version = fmt.Sprintf("v1.%d.0", build)
	p.CPU = fmt.Sprintf("Processor %d", cpu)
	p.Go = []string{"go1.25.4", "go1.26.8"}[build%2]
	passed := p.Markers[:0]
	for _, m := range p.Markers {
		m.Name = prefix + strings.TrimPrefix(m.Name, "example.com/shop")
		m.Package = prefix + strings.TrimPrefix(m.Package, "example.com/shop")
		m.Callers = nil
		if m.Count > 0 {
			passed = append(passed, m)
		}
	}
	p.Markers = passed
	return &Source{*p}
}

// Origin returns the origin of the source's profiles.
func (s *Source) Origin() fleet.Origin { return fleet.OriginOf(&s.program) }

// Markers returns the number of markers with calls in a run.
func (s *Source) Markers() int { return len(s.program.Markers) }

// Run returns the profile of a run, with about share of the markers, 0 < share ≤ 1.
func (s *Source) Run(r *rand.Rand, share float64) *profile.Profile {
	p := s.program
	p.Markers = nil
	for i := range s.program.Markers {
		if r.Float64() < share {
			p.Markers = append(p.Markers, varied(r, s.program.Markers[i]))
		}
	}
	return &p
}

// varied returns m with a few more calls.
func varied(r *rand.Rand, m profile.Marker) profile.Marker {
	n := 1 + r.Uint64N(10)
	m.Count += n
	if len(m.Buckets) == 0 {
		return m
	}
	m.Buckets = append([]profile.Bucket(nil), m.Buckets...)
	b := &m.Buckets[r.IntN(len(m.Buckets))]
	ns := b.LoNS() + r.Uint64N(b.HiNS()-b.LoNS())
	m.MinNS, m.MaxNS = min(m.MinNS, ns), max(m.MaxNS, ns)
	b.Count += n
	b.SumNS += n * ns
	for range n {
		b.SumSq = b.SumSq.Add(profile.Square(ns))
	}
	m.SelfNS += n * ns / 2
	m.Ticks += n * ns
	return m
}

// Split divides a profile into batches of at most n markers, as the spool does: only the first has
// the fields about the run.
func Split(p *profile.Profile, n int) []*profile.Profile {
	var parts []*profile.Profile
	for markers := p.Markers; ; {
		part := *p
		part.Markers = markers[:min(n, len(markers))]
		if len(parts) > 0 {
			part.Runs, part.ElapsedNS, part.Lost = 0, 0, 0
		}
		parts = append(parts, &part)
		if markers = markers[len(part.Markers):]; len(markers) == 0 {
			return parts
		}
	}
}

// A Ledger sums what the catalogue should contain, by origin.
type Ledger map[fleet.Origin]*profile.Sum

// Add adds a batch.
func (l Ledger) Add(p *profile.Profile) {
	origin := fleet.OriginOf(p)
	if l[origin] == nil {
		l[origin] = new(profile.Sum)
	}
	l[origin].Add(p)
}

// Figures are the statistics of a marker that the catalogue keeps, in a comparable form.
type Figures struct {
	Name, Kind          string
	Count, Self, Nested uint64
	Min, Max            uint64
	Buckets, First      []profile.Bucket
	Sizes               []profile.SizeBucket
	Readings            []profile.Reading
}

// FiguresOf returns the Figures of a profile's markers.
func FiguresOf(p *profile.Profile) map[registry.ID]Figures {
	all := map[registry.ID]Figures{}
	for i := range p.Markers {
		m := &p.Markers[i]
		if m.Count > 0 {
			all[m.ID] = Figures{m.Name, m.Kind, m.Count, m.SelfNS, m.NestedNS, m.MinNS, m.MaxNS, m.Buckets, m.First.Buckets, m.Sizes, m.Readings}
		}
	}
	return all
}
