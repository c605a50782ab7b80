package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/catalogue/cataloguetest"
	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/store"
)

const (
	pageAPIs    = 1_000_000 // APIs in the catalogue
	pageHot     = 500       // of these, APIs with data of many builds and machines
	pageClients = 4         // concurrent clients
	pageTyped   = 60        // number of names typed letter by letter
)

// pages measures a catalogue of a million APIs: the memory of its index, and the response times of
// markgend, in another process with a store in SQLite, for its pages and for searches while the
// text is being typed.
func (b *bench) pages(ctx context.Context) error {
	apis := cataloguetest.Make(pageAPIs, 1)
	b.indexMemory(apis)
	db := filepath.Join(b.work, "pages.db")
	if err := fillPages(ctx, db, apis); err != nil {
		return err
	}
	var typed []string
	r := rand.New(rand.NewPCG(2, 3))
	for range pageTyped {
		name := apis[r.IntN(len(apis))].Function()
		name = strings.NewReplacer("(*", "", ")", "").Replace(name)
		if r.IntN(2) == 0 {
			name = strings.ToLower(name)
		}
		for n := 1; n <= len(name); n++ {
			typed = append(typed, "/search?q="+url.QueryEscape(name[:n]))
		}
	}
	var hot, cold []string
	for range 300 {
		hot = append(hot, pages.Path(apis[r.IntN(pageHot)].ID))
		cold = append(cold, pages.Path(apis[pageHot+r.IntN(len(apis)-pageHot)].ID))
	}
	path, hotPath := apis[pageAPIs/2].Package, apis[0].Package
	const compare = "/compare?old=example.com/hot@v1.1.0&new=example.com/hot@v1.2.0"
	apis = nil
	runtime.GC()

	s, err := b.startServe(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	about := fmt.Sprintf("%d APIs, ", pageAPIs)
	for _, m := range []struct {
		name    string
		bar     bar
		list    []string
		clients int
	}{
		{"search as it is typed, 4 clients", atMost(50).in("ms"), typed, pageClients},
		{"page of an API, many builds", atMost(30).in("ms"), hot, 1},
		{"page of an API, one build", atMost(30).in("ms"), cold, 1},
		{"page of an API, many builds, 4 clients", bar{unit: "ms"}, hot, pageClients},
		{"first page", atMost(30).in("ms"), slices.Repeat([]string{"/"}, 50), 1},
		{"page of a package", atMost(30).in("ms"), slices.Repeat([]string{"/package/" + path}, 50), 1},
		{"page of what is new", atMost(30).in("ms"), slices.Repeat([]string{"/new"}, 50), 1},
		{"form to compare", atMost(30).in("ms"), slices.Repeat([]string{"/compare"}, 50), 1},
		{"two builds compared, a package", atMost(30).in("ms"), slices.Repeat([]string{compare + "&package=" + url.QueryEscape(hotPath)}, 20), 1},
		{fmt.Sprintf("two builds compared, all their %d APIs", pageHot), bar{unit: "ms"}, []string{compare}, 1},
	} {
		took, err := s.ask(ctx, m.list, m.clients)
		if err != nil {
			return err
		}
		p50, p99 := took[len(took)/2], took[len(took)*99/100]
		b.record(about+m.name+", p99", m.bar, p99, fmt.Sprintf("p50 %.3g ms, most %.3g, of %d", p50, took[len(took)-1], len(took)))
		err = b.results.add("pages/pages.txt", "Pages/"+strings.ReplaceAll(m.name, " ", "-"), len(took),
			benchfmt.Value{Value: p50 / 1e3, Unit: "p50-sec"}, benchfmt.Value{Value: p99 / 1e3, Unit: "p99-sec"})
		if err != nil {
			return err
		}
	}
	if peak, err := s.peak(); err == nil {
		b.record(about+"memory of markgend, most", atMost(512).in("MiB"), peak/(1<<20), "resident, after all of this")
	}
	return err
}

// indexMemory measures the heap size of the index.
func (b *bench) indexMemory(apis []fleet.API) {
	heap := func() float64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	letters := 0
	for i := range apis {
		letters += len(apis[i].Name)
	}
	before := heap()
	x := catalogue.New()
	for part := range slices.Chunk(apis, 256) {
		x.Put(part...)
	}
	b.record(fmt.Sprintf("%d APIs, memory of the index", len(apis)), atMost(200).in("MB"), (heap()-before)/1e6, fmt.Sprintf("names of %d bytes", letters/len(apis)))
	runtime.KeepAlive(x)
}

// fillPages creates a store in which every API has data of one machine and day, and the first
// pageHot APIs also of ten builds on four kinds of machines on ten days.
func fillPages(ctx context.Context, db string, apis []fleet.API) (err error) {
	now := time.Now().Add(-time.Hour)
	s, err := store.Open(ctx, db, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r := rand.New(rand.NewPCG(5, 6))
	put := func(o fleet.Origin, day fleet.Day, apis []fleet.API) error {
		p := &profile.Profile{App: "bench", Runs: 1, Complete: true, Go: o.Go, GOOS: o.GOOS, GOARCH: o.GOARCH, CPU: o.CPU}
		for i := range apis {
			p.Markers = append(p.Markers, timed(r, &apis[i]))
		}
		_, err := s.Ingest(ctx, &fleet.Batch{ID: fleet.BatchID{Build: o.Build, Run: fleet.NewRunID()}, Origin: o, Day: day, Profile: p, Body: []byte(o.Build + day.String())})
		return err
	}
	machines := []fleet.Origin{
		{Go: "go1.25.3", GOOS: "linux", GOARCH: "amd64", CPU: "AMD EPYC 7B13"},
		{Go: "go1.26.0", GOOS: "linux", GOARCH: "amd64", CPU: "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz"},
		{Go: "go1.26.0", GOOS: "linux", GOARCH: "arm64", CPU: "Neoverse-N1"},
		{Go: "go1.26.0", GOOS: "darwin", GOARCH: "arm64", CPU: "Apple M3"},
	}
	for part := range slices.Chunk(apis, 10_000) {
		o := machines[r.IntN(4)]
		o.Build = "example.com/all@v1.0.0"
		if err := put(o, fleet.DayOf(now), part); err != nil {
			return err
		}
	}
	for build := range 10 {
		for _, o := range machines {
			o.Build = fmt.Sprintf("example.com/hot@v1.%d.0", build)
			for day := range 10 {
				if err := put(o, fleet.DayOf(now)-fleet.Day(3*build+day), apis[:pageHot]); err != nil {
					return err
				}
			}
		}
	}
	return s.Settle(ctx)
}

// timed returns a marker of an API with random times.
func timed(r *rand.Rand, a *fleet.API) profile.Marker {
	m := profile.Marker{ID: a.ID, Name: a.Name, Package: a.Package, Kind: a.Kind, File: a.File, Line: a.Line, Col: 1, Runs: 1}
	k := uint8(4 + r.IntN(24))
	for i := range uint8(4 + r.IntN(4)) {
		b := profile.Bucket{K: k + i, Count: uint64(math.Exp(r.Float64() * 8))}
		each := b.LoNS() + b.LoNS()/3
		b.SumNS = b.Count * each
		b.SumSq = profile.Square(each)
		for range min(b.Count-1, 3) {
			b.SumSq = b.SumSq.Add(profile.Square(each))
		}
		m.Count += b.Count
		m.SelfNS += b.SumNS
		m.Buckets = append(m.Buckets, b)
	}
	m.MinNS, m.MaxNS = m.Buckets[0].LoNS()+1, m.Buckets[len(m.Buckets)-1].LoNS()*3/2
	return m
}

// A served is a running markgend.
type served struct {
	cmd  *exec.Cmd
	base string
}

func (b *bench) startServe(ctx context.Context, db string) (*served, error) {
	cmd := exec.CommandContext(ctx, b.markgend(), "-db", db, "-addr", "127.0.0.1:0", "-public-read", "-log", "error")
	cmd.Env = cleanEnviron()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &served{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.base = strings.TrimSuffix(strings.TrimSpace(line), "/")
	for ready := false; !ready; {
		answer, err := http.Get(s.base + "/search?q=")
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		text, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			return nil, errors.Join(err, s.stop())
		}
		ready = !strings.Contains(string(text), "still being read")
		time.Sleep(50 * time.Millisecond)
	}
	return s, nil
}

func (s *served) stop() error {
	err := s.cmd.Process.Signal(syscall.SIGTERM)
	return errors.Join(err, s.cmd.Wait())
}

// peak returns the maximum resident size of markgend, in bytes.
func (s *served) peak() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kb); n == 1 {
			return kb * 1024, nil
		}
	}
	return 0, errors.New("the system does not tell how much memory a process had")
}

// ask requests each address in list once, from concurrent clients, and returns the sorted response
// times in ms.
func (s *served) ask(ctx context.Context, list []string, clients int) (took []float64, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := c; i < len(list); i += clients {
				begin := time.Now()
				one := s.get(ctx, list[i])
				ms := time.Since(begin).Seconds() * 1e3
				mu.Lock()
				took = append(took, ms)
				err = errors.Join(err, one)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	slices.Sort(took)
	return took, err
}

func (s *served) get(ctx context.Context, address string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+address, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", address, answer.Status)
	}
	return nil
}
