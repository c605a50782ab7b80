package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/service/fleettest"
	"github.com/markgen/markgen/service/store/pgtest"
)

// usualFleet has 10 programs of 2000 markers, of which 9 in 11 are executed, with 3 builds each on
// 4 kinds of machines: 120 origins with about 220,000 rows to store. In newFleet hardly any row
// comes twice: 400 programs, each with one build on one kind of machine.
var (
	usualFleet = fleettest.Fleet{Programs: 10, Builds: 3, CPUs: 4, Markers: 2000}
	newFleet   = fleettest.Fleet{Programs: 400, Builds: 1, CPUs: 1, Markers: 2000}
)

// ingest measures how many markers per second markgend ingests, sent over HTTP from another process
// on the same machine, the latency of a batch at half the required rate, and the memory of
// markgend. The time until all accepted batches are in the tables is included in the rate.
func (b *bench) ingest(ctx context.Context) error {
	cluster, err := pgtest.Start(ctx)
	if err != nil {
		return err
	}
	defer cluster.Close()
	database, err := cluster.Database(ctx)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name, db string
		bar      float64 // markers per second
	}{
		{"SQLite", filepath.Join(b.work, "fleet.db"), 200_000},
		{"PostgreSQL", database, 100_000},
	} {
		if err := b.ingestInto(ctx, s.name, s.db, s.bar); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) ingestInto(ctx context.Context, name, db string, rows float64) (err error) {
	var log bytes.Buffer
	server, err := fleettest.NewServer(b.markgend(), db, &log)
	if err != nil {
		return err
	}
	defer func() {
		server.End(syscall.SIGKILL)
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, log.Bytes()[:min(2000, log.Len())])
		}
	}()
	if err := server.Start(); err != nil {
		return err
	}
	full, err := b.loaded(ctx, fleettest.Load{URL: server.URL(), Fleet: usualFleet, Time: 30 * time.Second})
	if err != nil {
		return err
	}
	peak := server.Peak()
	begin := time.Now()
	if err := server.End(syscall.SIGTERM); err != nil {
		return err
	}
	rest := time.Since(begin)
	rate := float64(full.Rows) / (full.Took + rest).Seconds()
	b.record(name+", markers a second", atLeast(rows), rate,
		fmt.Sprintf("%d batches of %d KiB packed, p99 %v; %.1f s more until all was in the tables; %d turned away", full.Batches, full.Bytes/max(full.Batches, 1)>>10, full.P99.Round(time.Millisecond), rest.Seconds(), full.Refused))
	if err := b.results.add("fleet/ingest.txt", "Ingest/"+name, full.Rows, benchfmt.Value{Value: rate, Unit: "markers/s"}); err != nil {
		return err
	}

	if err := server.Start(); err != nil {
		return err
	}
	half, err := b.loaded(ctx, fleettest.Load{URL: server.URL(), Fleet: usualFleet, Rows: int(rows / 2), Time: 30 * time.Second})
	if err != nil {
		return err
	}
	b.record(name+", a batch at half that rate, p99", atMost(250).in("ms"), float64(half.P99.Microseconds())/1000,
		fmt.Sprintf("p50 %v, max %v, %.0f markers a second", half.P50.Round(time.Millisecond), half.Max.Round(time.Millisecond), float64(half.Rows)/half.Took.Seconds()))
	peak = max(peak, server.Peak())

	small, err := b.loaded(ctx, fleettest.Load{URL: server.URL(), Fleet: usualFleet, Batch: 5, Time: 15 * time.Second})
	if err != nil {
		return err
	}
	b.record(name+", batches of 5 markers a second", bar{}, float64(small.Batches)/small.Took.Seconds(), fmt.Sprintf("p99 %v", small.P99.Round(time.Millisecond)))
	if info, err := os.Stat(db); err == nil {
		figures := 0
		for i := range usualFleet.Origins() {
			figures += usualFleet.Source(i).Markers()
		}
		b.record(name+", the file, for each marker of a kind of machine and day", bar{}.in("bytes"), float64(info.Size())/float64(figures), fmt.Sprintf("%d of these", figures))
	}
	new, err := b.loaded(ctx, fleettest.Load{URL: server.URL(), Fleet: newFleet, Time: 20 * time.Second})
	if err != nil {
		return err
	}
	peak = max(peak, server.Peak())
	begin = time.Now()
	remark := "all in the tables %.1f s later"
	if server.End(syscall.SIGTERM) != nil {
		remark = "not all was in the tables %.1f s later; the rest was in the log"
	}
	rest = time.Since(begin)
	b.record(name+", markers a second, each new to a kind of machine", bar{}, float64(new.Rows)/(new.Took+rest).Seconds(), fmt.Sprintf(remark+"; %d turned away", rest.Seconds(), new.Refused))
	b.record(name+", memory of the server", atMost(512).in("MiB"), float64(peak)/(1<<20), "the most it had in all of this")
	return nil
}

// loaded sends a load from a child process.
func (b *bench) loaded(ctx context.Context, l fleettest.Load) (done fleettest.Loaded, err error) {
	self, err := os.Executable()
	if err != nil {
		return done, err
	}
	text, err := json.Marshal(l)
	if err != nil {
		return done, err
	}
	out, err := output(ctx, b.work, nil, self, "-load-child", string(text))
	if err != nil {
		return done, err
	}
	return done, json.Unmarshal(out, &done)
}

// loadChild is the child process of loaded.
func loadChild(ctx context.Context, text string, w io.Writer) error {
	var l fleettest.Load
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		return err
	}
	done, err := l.Run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(done)
}
