package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/service/export"
	"github.com/markgen/markgen/service/store"
)

// exportFlags are the flags of serve about exports.
type exportFlags struct {
	otlp, pprof string
	every       time.Duration
	pkg, kind   string
	by          string
	limit       int
}

// exportKinds are the values of -export-kind.
var exportKinds = []string{"func", "loop", "branch", "block", "region", "point", "all"}

func (o *exportFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&o.otlp, "otlp", "", "")
	fs.StringVar(&o.pprof, "pprof", "", "")
	fs.DurationVar(&o.every, "export-every", time.Minute, "")
	fs.StringVar(&o.pkg, "export-package", "", "")
	fs.StringVar(&o.kind, "export-kind", "func", "")
	fs.StringVar(&o.by, "export-by", "", "")
	fs.IntVar(&o.limit, "export-limit", 10_000, "")
}

func (o *exportFlags) check() error {
	switch by := fleet.Grouping(o.by); {
	case !slices.Contains([]fleet.Grouping{fleet.NoGrouping, fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU}, by):
		return fmt.Errorf("-export-by is %q; give build, go, goos, goarch or cpu", o.by)
	case !slices.Contains(exportKinds, o.kind):
		return fmt.Errorf("-export-kind is %q; give one of %s", o.kind, strings.Join(exportKinds, ", "))
	case o.every < time.Second:
		return errors.New("-export-every is 1s at least")
	case o.limit < 1:
		return errors.New("-export-limit is 1 at least")
	}
	return nil
}

// start exports the store's statistics until the context ends, if any export is configured.
func (o *exportFlags) start(ctx context.Context, env *cli.Env, s *store.Store, log *slog.Logger) error {
	filter := fleet.Filter{Package: o.pkg, Kind: o.kind}
	if o.kind == "all" {
		filter.Kind = ""
	}
	var receivers []export.Receiver
	if o.otlp != "" {
		r, err := export.OTLP(ctx, export.OTLPOptions{URL: o.otlp})
		if err != nil {
			return fmt.Errorf("-otlp: %w", err)
		}
		receivers = append(receivers, r)
	}
	if o.pprof != "" {
		headers, err := headersOf(env.Getenv("MARKGEN_PPROF_HEADERS"))
		if err != nil {
			return fmt.Errorf("MARKGEN_PPROF_HEADERS: %w", err)
		}
		r, err := export.Pprof(export.PprofOptions{URL: o.pprof, Headers: headers})
		if err != nil {
			return fmt.Errorf("-pprof: %w", err)
		}
		receivers = append(receivers, r)
	}
	for _, r := range receivers {
		go export.Run(ctx, r, export.Options{Store: s, Filter: filter, By: fleet.Grouping(o.by), Limit: o.limit, Every: o.every, Log: log})
	}
	return nil
}

// headersOf parses a list NAME=VALUE,…
func headersOf(text string) (map[string]string, error) {
	headers := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case part == "":
		case !ok || name == "":
			return nil, errors.New("give NAME=VALUE, with commas between several")
		default:
			headers[name] = value
		}
	}
	return headers, nil
}
