//go:build unix

package fleettest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/service/store/pgtest"
	"github.com/markgen/markgen/tier"
)

// the markgend under test
var command string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "fleettest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	command = filepath.Join(dir, "markgend")
	if out, err := exec.Command("go", "build", "-o", command, "github.com/markgen/markgen/service/cmd/markgend").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

// newServer returns a server that ends with the test.
func newServer(t *testing.T, db string) *Server {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewServer(command, db, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.End(syscall.SIGKILL)
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("the server said\n%s", text[max(0, len(text)-5000):])
		}
	})
	return s
}

// day is a day of the simulation. Clients are offline for up to twenty.
const day = 2 * time.Second

// simulated returns the duration of the simulation: 20 s, or as in the environment.
func simulated(t *testing.T) time.Duration {
	text := os.Getenv("MARKGEN_SOAK_FLEET")
	if text == "" {
		return 20 * time.Second
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("MARKGEN_SOAK_FLEET: %v; give a time such as 1h", err)
	}
	return d
}

// A thousand clients send, crash, repeat, lose connections and have wrong clocks, while servers are
// killed. In the end the catalogue has exactly what was sent.
func simulate(t *testing.T, servers []*Server, disturb func(*rand.Rand)) {
	const clients = 1000
	machines := Fleet{Programs: 4, Builds: 3, CPUs: 2, Markers: 60}
	for _, s := range servers {
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
	}
	var (
		mu      sync.Mutex
		ledger  = Ledger{}
		trouble Trouble
		seed    = uint64(time.Now().UnixNano())
		peak    int64
	)
	t.Logf("seed %d", seed)
	sources := make([]*Source, machines.Origins())
	for i := range sources {
		sources[i] = machines.Source(i)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 64, MaxConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	made := func(p *profile.Profile) {
		mu.Lock()
		ledger.Add(p)
		mu.Unlock()
	}
	ctx, stop := context.WithTimeout(context.Background(), simulated(t))
	defer stop()

	// Kill servers, and the database, until the end.
	var killers sync.WaitGroup
	killers.Go(func() {
		r := rand.New(rand.NewPCG(seed, 1))
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Duration(2000+r.IntN(6000)) * time.Millisecond):
			}
			s := servers[r.IntN(len(servers))]
			peak = max(peak, s.Peak())
			switch {
			case disturb != nil && r.IntN(3) == 0:
				disturb(r)
			case r.IntN(4) == 0:
				s.End(syscall.SIGTERM)
			default:
				s.End(syscall.SIGKILL)
			}
			if err := s.Start(); err != nil {
				t.Error(err)
				return
			}
		}
	})

	var all sync.WaitGroup
	waiting := make([]*Client, clients)
	for i := range clients {
		r := rand.New(rand.NewPCG(seed, uint64(i)+2))
		c := &Client{
			URL:    func() string { return servers[r.IntN(len(servers))].URL() },
			Source: sources[i%len(sources)], Rand: r, Trouble: &trouble,
			HTTP: &http.Client{Transport: transport, Timeout: 20 * time.Second},
		}
		waiting[i] = c
		all.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Duration(r.Int64N(int64(20 * day)))): // offline
				}
				for range r.IntN(3) {
					if err := c.Make(1+r.IntN(3), made); err != nil {
						t.Error(err)
						return
					}
				}
				if err := c.Send(ctx); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	killers.Wait()
	if t.Failed() {
		return
	}

	// The network stays bad until everything is sent.
	last, give := context.WithTimeout(context.Background(), 2*time.Minute+simulated(t)/4)
	defer give()
	limit := make(chan struct{}, 32)
	for _, c := range waiting {
		limit <- struct{}{}
		all.Go(func() {
			defer func() { <-limit }()
			for c.Waiting() > 0 {
				if err := cmp.Or(c.Send(last), last.Err()); err != nil {
					t.Error(err)
					return
				}
				time.Sleep(10 * time.Millisecond) // the server may be busy
			}
		})
	}
	all.Wait()
	for _, s := range servers {
		peak = max(peak, s.Peak())
	}
	// Servers that are told to end write what is pending.
	for _, s := range servers {
		s.End(syscall.SIGTERM)
	}
	if err := servers[0].Start(); err != nil {
		t.Fatal(err)
	}
	ready := time.Now()
	t.Logf("%v: %s; a server had %d MiB at most", simulated(t), &trouble, peak>>20)
	scopes := uint64(0)
	// What a killed server had not written is written by another, once that considers it dead.
	deadline := time.Now().Add(time.Minute)
	for origin, sum := range ledger {
		want := FiguresOf(sum.Profile())
		for {
			diff := gocmp.Diff(want, FiguresOf(catalogueOf(t, servers[0].URL(), origin)))
			if diff == "" {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("of %+v (-sent +in the catalogue)\n%s", origin, diff)
			}
			time.Sleep(time.Second)
		}
		for _, f := range want {
			scopes += f.Count
		}
	}
	t.Logf("%d origins, %d scopes: all there, none twice, %v after the last start", len(ledger), scopes, time.Since(ready).Round(time.Second))
}

// catalogueOf returns what the service has of an origin.
func catalogueOf(t *testing.T, at string, o fleet.Origin) *profile.Profile {
	t.Helper()
	q := url.Values{"build": {o.Build}, "go": {o.Go}, "goos": {o.GOOS}, "goarch": {o.GOARCH}, "cpu": {o.CPU}}
	request, err := http.NewRequest(http.MethodGet, at+"/v1/catalogue?"+q.Encode(), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/vnd.markgen.profile")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err := cmp.Or(err, func() error {
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", answer.Status, text)
		}
		return nil
	}()); err != nil {
		t.Fatal(err)
	}
	p, err := codec.Decode(text, "catalogue")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFleetSQLite(t *testing.T) {
	tier.Test(t)
	simulate(t, []*Server{newServer(t, filepath.Join(t.TempDir(), "fleet.db"))}, nil)
}

// Two servers share a database, which is killed too.
func TestFleetPostgres(t *testing.T) {
	tier.Corpus(t)
	ctx := context.Background()
	cluster, err := pgtest.Start(ctx, pgtest.Hasty)
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	url, err := cluster.Database(ctx)
	if err != nil {
		t.Fatal(err)
	}
	simulate(t, []*Server{newServer(t, url), newServer(t, url)}, func(r *rand.Rand) {
		if err := cluster.Kill(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Duration(r.IntN(1000)) * time.Millisecond)
		if err := cluster.Restart(ctx); err != nil {
			t.Error(err)
		}
	})
}
