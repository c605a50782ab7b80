// Package export sends the catalogue to other systems at intervals: to an OTLP receiver, and as
// pprof profiles. (Prometheus scrapes /v1/prometheus of package server instead.)
//
//	otlp, err := export.OTLP(ctx, export.OTLPOptions{URL: "http://localhost:4318"})
//	go export.Run(ctx, otlp, export.Options{Store: s, Every: time.Minute})
//
// OTLP gets sums since the catalogue began, pprof the difference to the last accepted profile. So
// nothing is lost while a receiver is down, and nothing is counted twice.
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

// A Store is the part of *store.Store that export uses.
type Store interface {
	Profile(ctx context.Context, f fleet.Filter, limit int) (p *profile.Profile, more bool, err error)
	Origins(ctx context.Context, f fleet.Filter) ([]fleet.OriginSum, error)
}

// Options selects what is sent, and how often. A zero field has the default given in its comment.
type Options struct {
	Store  Store
	Filter fleet.Filter
	By     fleet.Grouping // grouping: fleet.ByBuild, ByGo, ByGOOS, ByGOARCH or ByCPU; none
	Limit  int            // max markers of a group, or of all without grouping; 10,000
	Every  time.Duration  // interval; a minute
	Log    *slog.Logger   // slog.Default
}

// A Receiver receives the catalogue.
type Receiver interface {
	// Send sends the parts, of which there may be none. After an error, all or some did not arrive;
	// the next call repeats them.
	Send(ctx context.Context, parts []Part) error

	// Name returns the receiver's name for the log.
	Name() string
}

// A Part is a group of the catalogue's statistics.
type Part struct {
	By      fleet.Grouping
	Key     string    // key of the group, such as the build; "" without grouping
	Since   time.Time // when the catalogue's first statistics arrived
	At      time.Time // when these were read
	Profile *profile.Profile
}

// Run sends the catalogue to r, now and then at intervals, until the context ends. It logs an error
// only when it differs from the previous one.
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
			log.Info("export succeeds again", "to", r.Name())
		}
		said = text
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once sends the catalogue to r. If it exceeds the limit, a part is sent and the error says so.
func Once(ctx context.Context, r Receiver, o Options) error {
	parts, cut, err := read(ctx, o)
	if err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	return errors.Join(r.Send(ctx, parts), cut)
}

// read reads what to send. cut is an error if the limit left something out.
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

// keysOf returns the sorted keys of the groups. Statistics with unknown key are left out.
func keysOf(origins []fleet.OriginSum, by fleet.Grouping) ([]string, error) {
	switch by {
	case fleet.NoGrouping:
		return []string{""}, nil
	case fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU:
	default:
		return nil, fmt.Errorf("figures can't be split by %q; give build, go, goos, goarch or cpu", by)
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
