// Package export passes the catalogue on to those who have a stack already: to an OTLP receiver and as pprof, at
// intervals. (Prometheus asks for itself: /v1/prometheus of package server.)
//
//	otlp, err := export.OTLP(ctx, export.OTLPOptions{URL: "http://localhost:4318"})
//	go export.Run(ctx, otlp, export.Options{Store: s, Every: time.Minute})
//
// What is sent are sums since the catalogue began, or, as pprof, since the last time that it was taken. So nothing is
// lost when a receiver is away, and nothing counts twice.
package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/profile"
)

// A Store has the catalogue. *store.Store is one.
type Store interface {
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
	Origins(ctx context.Context, f fleet.Filter) ([]fleet.OriginSum, error)
}

// Options say what is passed on, and how often. Zero values have the defaults that are given.
type Options struct {
	Store  Store
	Filter fleet.Filter
	By     fleet.By      // what figures are told apart by: fleet.ByBuild, ByGo, ByGOOS, ByGOARCH, ByCPU; nothing
	Limit  int           // markers of a build, or of what else they are told apart by, at most; 10,000
	Every  time.Duration // a minute
	Log    *slog.Logger  // slog.Default
}

// A Receiver takes the catalogue.
type Receiver interface {
	// Send passes on what there is, which may be nothing. An error says that some or all of it did not arrive; it comes again.
	Send(ctx context.Context, parts []Part) error

	// Name is what the receiver is called in the log.
	Name() string
}

// A Part is figures of the catalogue that have a key in common.
type Part struct {
	By      fleet.By
	Key     string    // the build, or whatever they are told apart by; "" if they are not
	Since   time.Time // when the catalogue's first figures came
	At      time.Time // when these were read
	Profile *profile.Profile
}

// Run sends the catalogue to r, at once and from then on at intervals, until the context ends. What goes wrong is in the
// log, once for as long as it is the same.
func Run(ctx context.Context, r Receiver, o Options) {
	if o.Every <= 0 {
		o.Every = time.Minute
	}
	log := o.Log
	if log == nil {
		log = slog.Default()
	}
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	said := ""
	for {
		err := Once(ctx, r, o)
		if ctx.Err() != nil {
			return
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		switch {
		case text != "" && text != said:
			log.Error("export", "to", r.Name(), "error", text)
		case text == "" && said != "":
			log.Info("export works again", "to", r.Name())
		}
		said = text
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once sends the catalogue to r. If it is larger than the limit, what is sent of it is, and the error says so.
func Once(ctx context.Context, r Receiver, o Options) error {
	parts, cut, err := read(ctx, o)
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	return errors.Join(r.Send(ctx, parts), cut)
}

// read reads what is to be passed on. cut says what was left out.
func read(ctx context.Context, o Options) (parts []Part, cut, err error) {
	limit := o.Limit
	if limit <= 0 {
		limit = 10_000
	}
	origins, err := o.Store.Origins(ctx, o.Filter)
	if err != nil || len(origins) == 0 {
		return nil, nil, err
	}
	since := origins[0].First
	for _, s := range origins {
		if s.First.Before(since) {
			since = s.First
		}
	}
	keys, err := keysOf(origins, o.By)
	if err != nil {
		return nil, nil, err
	}
	for _, key := range keys {
		f := o.Filter
		f.Of, f.Key = o.By, key
		p, more, err := o.Store.Profile(ctx, f, limit)
		if err != nil {
			return nil, nil, err
		}
		if more {
			cut = errors.Join(cut, fmt.Errorf("more than %d markers%s: the others are left out; choose fewer by a filter, or raise the limit", limit, of(key)))
		}
		parts = append(parts, Part{By: o.By, Key: key, Since: since, At: time.Now(), Profile: p})
	}
	return parts, cut, nil
}

func of(key string) string {
	if key == "" {
		return ""
	}
	return " of " + key
}

// keysOf are the builds, or whatever figures are told apart by, of origins, each once and in order. Figures of which it is not
// known are left out.
func keysOf(origins []fleet.OriginSum, by fleet.By) ([]string, error) {
	switch by {
	case fleet.ByNothing:
		return []string{""}, nil
	case fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU:
	default:
		return nil, fmt.Errorf("figures can't be told apart by %q; give build, go, goos, goarch or cpu", by)
	}
	var keys []string
	for i := range origins {
		if key := origins[i].Key(by); key != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}
