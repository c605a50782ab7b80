package fleettest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/markgen/markgen/fleet"
)

// A Load is batches sent as fast as they are taken, or at a rate.
type Load struct {
	URL         string
	Token       string // "": none
	Fleet       Fleet
	Batch       int           // markers in a batch; 2500
	Bodies      int           // different batches of each origin; 1
	Connections int           // batches under way at once; 16
	Rows        int           // markers a second; 0: as many as are taken
	Time        time.Duration // how long it goes on
}

// Loaded is what became of a load.
type Loaded struct {
	Rows    int           // markers that were taken
	Batches int           // in which they were
	Bytes   int           // that these had, packed
	Took    time.Duration // from the first request to the last answer
	Refused int           // batches that were turned away, to come again later

	P50, P99, Max time.Duration // from when a batch was due to its answer
}

// Run sends the load. Bodies are made beforehand, and each is sent under many IDs: to make them takes longer than to
// count them.
func (l Load) Run(ctx context.Context) (Loaded, error) {
	type made struct {
		body []byte
		rows int
	}
	if l.Batch <= 0 {
		l.Batch = 2500
	}
	if l.Connections <= 0 {
		l.Connections = 16
	}
	var bodies []made
	r := rand.New(rand.NewPCG(1, 2))
	for i := range l.Fleet.Origins() {
		source := l.Fleet.Source(i)
		for range max(l.Bodies, 1) {
			for _, part := range Split(source.Run(r, 1), l.Batch) {
				body, err := Compressed(part)
				if err != nil {
					return Loaded{}, err
				}
				bodies = append(bodies, made{body, len(part.Markers)})
			}
		}
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: l.Connections}, Timeout: time.Minute}
	defer client.CloseIdleConnections()

	begin := time.Now()
	end := begin.Add(l.Time)
	type due struct {
		made
		at time.Time
	}
	work := make(chan due)
	go func() {
		defer close(work)
		at := begin
		for time.Now().Before(end) && ctx.Err() == nil {
			m := bodies[r.IntN(len(bodies))]
			if l.Rows > 0 {
				time.Sleep(time.Until(at))
				work <- due{m, at}
				at = at.Add(time.Duration(float64(m.rows) / float64(l.Rows) * float64(time.Second)))
			} else {
				work <- due{m, time.Now()}
			}
		}
	}()
	var (
		mu    sync.Mutex
		total Loaded
		took  []time.Duration
		first error
		all   sync.WaitGroup
	)
	for range l.Connections {
		all.Go(func() {
			for d := range work {
				status, text, err := l.put(ctx, client, d.body)
				mu.Lock()
				switch {
				case err != nil:
					first = err
				case status == http.StatusCreated:
					total.Rows += d.rows
					total.Batches++
					total.Bytes += len(d.body)
					took = append(took, time.Since(d.at))
				case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
					total.Refused++
				default:
					first = fmt.Errorf("a batch was answered with %d: %s", status, text)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	total.Took = time.Since(begin)
	if slices.Sort(took); len(took) > 0 {
		total.P50, total.P99, total.Max = took[len(took)/2], took[len(took)*99/100], took[len(took)-1]
	}
	return total, first
}

func (l Load) put(ctx context.Context, client *http.Client, body []byte) (status int, text string, err error) {
	q, err := NewPut(ctx, l.URL, l.Token, fleet.NewRunID(), 0, bytes.NewReader(body), 0)
	if err != nil {
		return 0, "", err
	}
	answer, err := client.Do(q)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(io.LimitReader(answer.Body, 2000))
	return answer.StatusCode, string(said), err
}
