package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/service/store/pgtest"
)

// store measures the ingest rate and the response times of the catalogue, in either database: on
// all processors, including decoding of the profile files, but without HTTP.
func (b *bench) store(ctx context.Context) error {
	if err := b.storeOf(ctx, "SQLite", filepath.Join(b.work, "fleet.db"), 350e3); err != nil {
		return err
	}
	server, err := pgtest.Start(ctx)
	if err != nil {
		return err
	}
	url, err := server.Database(ctx)
	if err == nil {
		err = b.storeOf(ctx, "PostgreSQL", url, 100e3)
	}
	return errors.Join(err, server.Close())
}

func (b *bench) storeOf(ctx context.Context, engine, url string, least float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := output(ctx, b.work, nil, self, "-store-child", url)
	if err != nil {
		return err
	}
	var r loadResult
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if err := b.results.add("store/"+engine+".txt", "Store/"+engine, 1,
		benchfmt.Value{Value: r.Settled, Unit: "rows/s"}, benchfmt.Value{Value: r.P99, Unit: "p99-sec"}, benchfmt.Value{Value: r.Peak, Unit: "peak-bytes"}); err != nil {
		return err
	}
	b.record(engine+", marker rows a second until they are in the tables", atLeast(least).in("/s"), r.Settled,
		fmt.Sprintf("taken %.0f, and %.1f s until all are written; %d programs × %d builds × %d processors, batches of %d markers with %.1f buckets, %.0f kB", r.Rate, r.SettleTime, loadPrograms, loadBuilds, loadCPUs, loadMarkers, r.Buckets, r.BodyBytes/1e3))
	b.record(engine+", p99 of a batch at half that rate", atMost(250).in("ms"), 1e3*r.P99, fmt.Sprintf("median %.1f, worst %.0f", 1e3*r.P50, 1e3*r.Worst))
	b.record(engine+", peak memory", atMost(loadMemory>>20).in("MiB"), r.Peak/(1<<20), fmt.Sprintf("with the bodies that are sent; %.0f with a million new APIs", r.PeakOfAll/(1<<20)))
	b.record(engine+", marker rows a second of which each is a new API", bar{unit: "/s"}, r.NewRate, "the bodies are made meanwhile")
	b.record(engine+", p99 of the figures of one of a million APIs by build", atMost(15).in("ms"), 1e3*r.Figures, fmt.Sprintf("of one that all clients of a program report: %.1f", 1e3*r.FiguresHot))
	return nil
}
