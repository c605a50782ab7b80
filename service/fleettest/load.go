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

// A Load sends batches as fast as possible, or at a rate.
type Load struct {
	URL         string
	Token       string // "" for none
	Fleet       Fleet
	Batch       int           // markers per batch; 2500
	Bodies      int           // different batches of each origin; 1
	Connections int           // max concurrent batches; 16
	Rows        int           // markers per second; 0 for as fast as possible
	Time        time.Duration // duration
}

// A Loaded is the result of a load.
type Loaded struct {
	Rows    int           // markers accepted
	Batches int           // batches accepted
	Bytes   int           // their size, compressed
	Took    time.Duration // from the first request to the last answer
	Refused int           // batches refused for now

	P50, P99, Max time.Duration // from when a batch was due to its answer
}

// Run sends the load. Bodies are made in advance, and each is sent under many IDs: making them
// takes longer than counting them.
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
