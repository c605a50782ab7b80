package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/store"
)

// The load: each client runs one of loadPrograms programs, in one of loadBuilds builds, on a
// machine with one of loadCPUs processors, and sends its executed markers in batches. Each batch
// has loadVariants variants with different times.
const (
	loadPrograms = 10
	loadBuilds   = 3
	loadCPUs     = 4
	loadVariants = 2
	loadMarkers  = 2000
	loadBatch    = 1000 // markers in a batch
	loadSenders  = 16   // concurrent senders
	loadTime     = 40 * time.Second
	loadAPIs     = 1_000_000
	loadMemory   = 400 << 20 // includes 60 MB for the batches that are sent
)

// A loadResult is the result of the child process that has the store open.
type loadResult struct {
	BodyBytes  float64 // of a batch
	Buckets    float64 // per marker
	Rate       float64 // marker rows per second while sending at full speed
	Settled    float64 // the same, including the time until all are in the tables
	SettleTime float64 // seconds from the last batch until all are in the tables
	P50, P99   float64 // latency of Ingest at half the Settled rate, seconds
	Worst      float64 // maximum of the same
	NewRate    float64 // marker rows per second until all are in the tables, each row a new API
	Figures    float64 // 99th percentile of the time to query an API's data by build, seconds
	FiguresHot float64 // the same for an API that all clients report
	Peak       float64 // peak memory of the process before newAPIs, in bytes
	PeakOfAll  float64 // peak memory after newAPIs, in bytes
}

// storeChild puts load on the store at url and writes the result to w.
func storeChild(ctx context.Context, w io.Writer, url string) error {
	debug.SetMemoryLimit(loadMemory / 10 * 9) // as the service does; the rest is for SQLite
	s, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return err
	}
	var r loadResult
	err = errors.Join(storeLoad(ctx, s, &r), s.Close())
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(r)
}

// An arrival is one batch of a client.
type arrival struct {
	origin fleet.Origin
	body   []byte
}

func storeLoad(ctx context.Context, s *store.Store, r *loadResult) error {
	arrivals, err := makeArrivals(r)
	if err != nil {
		return err
	}
	l := &loader{store: s, arrivals: arrivals}
	begin := time.Now()
	rows, _, err := l.run(ctx, loadTime, 0)
	if err != nil {
		return err
	}
	took := time.Since(begin).Seconds()
	r.Rate = float64(rows) / took
	last := time.Now()
	if err := s.Settle(ctx); err != nil {
		return err
	}
	r.SettleTime = time.Since(last).Seconds()
	r.Settled = float64(rows) / time.Since(begin).Seconds()

	_, times, err := l.run(ctx, loadTime/2, r.Settled/2)
	if err != nil {
		return err
	}
	slices.Sort(times)
	at := func(q float64) float64 { return times[int(q*float64(len(times)-1))].Seconds() }
	r.P50, r.P99, r.Worst = at(0.5), at(0.99), at(1)
	r.Peak = ownPeak()

	if err := l.newAPIs(ctx, r); err != nil {
		return err
	}
	if r.Figures, err = figuresTime(ctx, s, func() registry.ID { return newID(rand.IntN(loadAPIs/loadBatch), rand.IntN(loadBatch)) }); err != nil {
		return err
	}
	if r.FiguresHot, err = figuresTime(ctx, s, func() registry.ID { return loadID(rand.IntN(loadPrograms), rand.IntN(loadMarkers)) }); err != nil {
		return err
	}
	r.PeakOfAll = ownPeak()
	return nil
}

func loadID(program, i int) registry.ID {
	return registry.ID(uint64(program*loadMarkers+i+1) * 0x9e3779b97f4a7c15)
}

func newID(batch, i int) registry.ID {
	return registry.ID(uint64(1<<40+batch*loadBatch+i) * 0x9e3779b97f4a7c15)
}

// makeArrivals encodes the batches. The times of a marker are in four to eight buckets.
func makeArrivals(r *loadResult) (list []arrival, err error) {
	rnd := rand.New(rand.NewPCG(1, 2))
	buckets := 0
	for program := range loadPrograms {
		for build := range loadBuilds {
			for cpu := range loadCPUs {
				o := fleet.Origin{
					Build: fmt.Sprintf("example.com/program%d@v1.%d.0", program, build), Go: "go1.26.8",
					GOOS: "linux", GOARCH: "amd64", CPU: fmt.Sprintf("Processor %d", cpu),
				}
				for i := range loadVariants * loadMarkers / loadBatch {
					from := i * loadBatch % loadMarkers
					p := loadProfile(rnd, fmt.Sprintf("example.com/program%d", program), from, func(i int) registry.ID { return loadID(program, i) })
					body, err := codec.Encode(p)
					if err != nil {
						return nil, err
					}
					for i := range p.Markers {
						buckets += len(p.Markers[i].Buckets)
					}
					list = append(list, arrival{o, body})
				}
			}
		}
	}
	r.BodyBytes = float64(len(list[0].body))
	r.Buckets = float64(buckets) / float64(len(list)*loadBatch)
	return list, nil
}

// loadProfile returns a batch of loadBatch markers of a program, beginning with number from.
func loadProfile(rnd *rand.Rand, program string, from int, id func(int) registry.ID) *profile.Profile {
	p := &profile.Profile{App: "program", Runs: 1, Start: time.Now(), ElapsedNS: 60e9, State: "stopped", Complete: true, GOOS: "linux", GOARCH: "amd64", Go: "go1.26.8"}
	p.Newest = p.Start.UnixNano()
	for i := from; i < from+loadBatch; i++ {
		pkg := fmt.Sprintf("%s/part%02d", program, i/100)
		m := profile.Marker{
			ID: id(i), Package: pkg, Name: fmt.Sprintf("%s.(*Type%02d).Method%04d", pkg, i/20%5, i), Kind: "func",
			File: fmt.Sprintf("part%02d/file%d.go", i/100, i/20%5), Line: 10 + i%20*17, Col: 1, Sample: 1, Runs: 1,
		}
		m.AsOf = p.Start.UnixNano()
		k := uint8(5 + i%14)
		for range 4 + rnd.IntN(5) {
			n := 1 + uint64(rnd.ExpFloat64()*200)
			b := profile.Bucket{K: k}
			mean := uint64(1)<<k + rnd.Uint64N(1<<k)
			b.Count, b.SumNS = n, n*mean
			sq := profile.Square(mean)
			for range bitsOf(n) {
				b.SumSq = b.SumSq.Add(sq)
			}
			m.Buckets = append(m.Buckets, b)
			m.Count += n
			m.SelfNS += b.SumNS / 2
			k++
		}
		m.MinNS, m.MaxNS = m.Buckets[0].LoNS()+3, m.Buckets[len(m.Buckets)-1].HiNS()-7
		m.Ticks = m.SumNS() * 27 / 10
		p.Markers = append(p.Markers, m)
	}
	return p
}

// bitsOf limits the number of squares that are added for n calls.
func bitsOf(n uint64) int { return min(int(n), 64) }

// A loader sends batches.
type loader struct {
	store    *store.Store
	arrivals []arrival
	sent     atomic.Int64
}

// run sends batches for a time: at full speed if rate is 0, else at a rate in marker rows per
// second, however slowly they are ingested. The latencies of paced batches are measured from when
// they were due.
func (l *loader) run(ctx context.Context, how time.Duration, rate float64) (rows int64, times []time.Duration, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	var errs []error
	begin := time.Now()
	var turn, total atomic.Int64
	senders := loadSenders
	if rate > 0 {
		senders = 8 * loadSenders
	}
	for range senders {
		all.Go(func() {
			for {
				due := begin
				if rate > 0 {
					due = begin.Add(time.Duration(float64(turn.Add(1)) * loadBatch / rate * 1e9))
					time.Sleep(time.Until(due))
				} else {
					due = time.Now()
				}
				if due.Sub(begin) > how || ctx.Err() != nil {
					return
				}
				n := l.sent.Add(1)
				markers, err := l.send(ctx, &l.arrivals[int(n*7919)%len(l.arrivals)])
				mu.Lock()
				if err != nil {
					errs = append(errs, err)
				}
				times = append(times, time.Since(due))
				mu.Unlock()
				if err != nil {
					return
				}
				total.Add(int64(markers))
			}
		})
	}
	all.Wait()
	return total.Load(), times, errors.Join(errs...)
}

// send does what the service does with a request, without HTTP.
func (l *loader) send(ctx context.Context, a *arrival) (int, error) {
	p, err := codec.Decode(a.body, "batch")
	if err != nil {
		return 0, err
	}
	receipt, err := l.store.Ingest(ctx, &fleet.Batch{
		ID: fleet.BatchID{Build: a.origin.Build, Run: fleet.NewRunID()}, Origin: a.origin, Day: fleet.DayOf(time.Now()), Profile: p, Body: a.body,
	})
	return receipt.Markers, err
}

// newAPIs fills the store up to a million APIs.
func (l *loader) newAPIs(ctx context.Context, r *loadResult) error {
	bodies := make(chan arrival, 4)
	go func() {
		defer close(bodies)
		for batch := range loadAPIs / loadBatch {
			rnd := rand.New(rand.NewPCG(3, uint64(batch)))
			p := loadProfile(rnd, fmt.Sprintf("example.com/new%d", batch), 0, func(i int) registry.ID { return newID(batch, i) })
			body, err := codec.Encode(p)
			if err != nil {
				panic(err) // a profile made here can be encoded
			}
			bodies <- arrival{fleet.Origin{Build: fmt.Sprintf("example.com/new%d@v1", batch%10)}, body}
		}
	}()
	begin := time.Now()
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for range loadSenders {
		all.Go(func() {
			for a := range bodies {
				if _, err := l.send(ctx, &a); err != nil {
					mu.Lock()
					errs = append(errs, err)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	if err := errors.Join(append(errs, l.store.Settle(ctx))...); err != nil {
		return err
	}
	r.NewRate = loadAPIs / time.Since(begin).Seconds()
	return nil
}

// figuresTime returns the 99th percentile of the time of a query for an API's data, in seconds.
func figuresTime(ctx context.Context, s *store.Store, id func() registry.ID) (float64, error) {
	var times []time.Duration
	for range 1000 {
		begin := time.Now()
		groups, err := s.Figures(ctx, id(), fleet.Filter{}, fleet.ByBuild)
		if err != nil {
			return 0, err
		}
		if len(groups) == 0 {
			return 0, errors.New("an API without figures")
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return times[len(times)*99/100].Seconds(), nil
}
