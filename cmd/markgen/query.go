package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/report"
)

var cmdQuery = &cli.Command{
	Name:  "query",
	Short: "what an API costs on many machines, from the central service",
	Long: `
usage: markgen query [flags] NAME
       markgen query [flags] -compare OLD,NEW [NAME]
       markgen query [flags] -download FILE

Query asks the server of a fleet (markgend) what functions and other markers cost in production. NAME is a whole
name, 'bytes.(*Buffer).Write'; or the end of one from a dot or slash on, Buffer.Write; or any part of it, or a pattern
with * for any text: then all matches are listed, those with the largest totals first. Stars and parentheses of receivers may be left out.

  -server URL     the server (default $MARKGEN_SERVER, else http://127.0.0.1:7070)
  -token-file F   a file with a token that may read (default: $MARKGEN_TOKEN, which is the token)
  -format F       text (default): a table; hist: with a line for each API that shows how its times are distributed;
                  json: what the server answers; or html, pprof or prom, as of markgen report
  -by WHAT        split the figures by build, go, goos, goarch, cpu or day
  -build B        only figures of that build (example.com/shop@v1.4.2); a pattern, as those that follow
  -go V           only figures of that version of Go
  -goos S         only figures of that operating system
  -goarch A       only figures of that architecture
  -cpu C          only figures of that processor
  -from DAY       only figures of runs from that day on (2006-01-02, in UTC)
  -to DAY         only figures of runs up to that day
  -kind K         only func, loop, branch, block, region or point
  -limit N        list N at most (default 20)
  -compare OLD,NEW   compare the mean times of each API in two builds, of 30 runs each at least. The exit code is 1
                  if something got slower (among the matches of NAME, if given)
  -download FILE  write the catalogue into FILE, a profile file for report, diff and merge. If FILE exists,
                  only changes since the last download are fetched; FILE.cursor has the position
  -paths          with -download: also the call paths that markgen push -paths has sent
  -o FILE         write to FILE, which is replaced as a whole or stays as it was

examples:
  markgen query 'bytes.(*Buffer).Write'
  markgen query -by cpu Buffer.Write
  markgen query -format hist -build 'example.com/shop@v1.4.*' 'shop/cart.*'
  markgen query -compare example.com/shop@v1.4.2,example.com/shop@v1.5.0
  MARKGEN_SERVER=https://perf.example.com markgen query -token-file token -download all.markgen`,
	Run: runQuery,
}

// queryFlags are the flags of query.
type queryFlags struct {
	client.Query
	server, tokenFile, format, by, compare, download, out string
	paths                                                 bool
}

// queryFormats are the values of -format; those that package report writes are made from a profile.
var queryFormats = []string{"text", "hist", "json", "html", "pprof", "prom"}

func runQuery(ctx context.Context, env *cli.Env, args []string) int {
	var o queryFlags
	fs := env.Flags()
	o.define(fs)
	if code, done := env.Parse(fs, args); done {
		return code
	}
	switch {
	case !slices.Contains(queryFormats, o.format):
		return env.Wrong("unknown format %q; the formats are %s", o.format, strings.Join(queryFormats, ", "))
	case !slices.Contains([]fleet.Grouping{fleet.NoGrouping, fleet.ByBuild, fleet.ByGo, fleet.ByGOOS, fleet.ByGOARCH, fleet.ByCPU, fleet.ByDay}, fleet.Grouping(o.by)):
		return env.Wrong("-by is %q; give build, go, goos, goarch, cpu or day", o.by)
	case o.by != "" && o.format != "text" && o.format != "json":
		return env.Wrong("-by is for the formats text and json")
	case o.Limit < 1 || o.Limit > 1000:
		return env.Wrong("-limit is %d; give a number from 1 to 1000", o.Limit)
	case o.compare != "" && o.download != "":
		return env.Wrong("-compare and -download are one thing each")
	case o.compare != "" && o.format != "text" && o.format != "json":
		return env.Wrong("-compare is for the formats text and json")
	case o.download != "" && (o.out != "" || o.by != "" || o.format != "text"):
		return env.Wrong("-download writes data into its own file; leave out -o, -by and -format, and have markgen report show what is there")
	case o.paths && o.download == "":
		return env.Wrong("-paths is for -download; markgen report shows what is in FILE")
	case o.download != "" && fs.NArg() > 0:
		return env.Wrong("-download is of all that -build and the like choose; leave out %q", fs.Arg(0))
	case o.download == "" && o.compare == "" && fs.NArg() == 0:
		return env.Wrong("the name of an API is expected")
	case fs.NArg() > 1:
		return env.Wrong("one name is expected, not %d; put quotes around one with spaces or parentheses", fs.NArg())
	case o.out == "" && report.Binary(o.format) && cli.IsTerminal(env.Stdout):
		return env.Wrong("the format %s is not text, and standard output is a terminal: write it to a file with -o FILE", o.format)
	}
	token, err := env.Token("", o.tokenFile)
	if err != nil {
		return env.Fail(err)
	}
	c := &client.Client{Server: cmp.Or(o.server, env.Getenv("MARKGEN_SERVER")), Version: cli.Version(), Token: token}
	env.WarnPlain(c.Server, token)
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	code := cli.OK
	switch {
	case o.download != "":
		err = o.downloadTo(ctx, env, c)
	case o.compare != "":
		code, err = o.compareBuilds(ctx, env, c, fs.Arg(0))
	default:
		err = o.ask(ctx, env, c, fs.Arg(0))
	}
	if err != nil {
		return env.Fail(err)
	}
	return code
}

func (o *queryFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&o.server, "server", "", "")
	fs.StringVar(&o.tokenFile, "token-file", "", "")
	fs.StringVar(&o.format, "format", "text", "")
	fs.StringVar(&o.by, "by", "", "")
	fs.StringVar(&o.Build, "build", "", "")
	fs.StringVar(&o.Go, "go", "", "")
	fs.StringVar(&o.GOOS, "goos", "", "")
	fs.StringVar(&o.GOARCH, "goarch", "", "")
	fs.StringVar(&o.CPU, "cpu", "", "")
	fs.StringVar(&o.From, "from", "", "")
	fs.StringVar(&o.To, "to", "", "")
	fs.StringVar(&o.Kind, "kind", "", "")
	fs.IntVar(&o.Limit, "limit", 20, "")
	fs.StringVar(&o.compare, "compare", "", "")
	fs.StringVar(&o.download, "download", "", "")
	fs.BoolVar(&o.paths, "paths", false, "")
	fs.StringVar(&o.out, "o", "", "")
}

// ask prints the cost of the APIs that match a name.
func (o *queryFlags) ask(ctx context.Context, env *cli.Env, c *client.Client, name string) error {
	found, err := findAPIs(ctx, c, name, o.Query)
	if err != nil {
		return err
	}
	if n := len(found.list); n < found.total {
		defer env.Warn(fmt.Sprintf("%d of %s are shown; -limit shows more", n, found.of()))
	}
	switch o.format {
	case "json":
		return o.writeJSON(ctx, env, c, found)
	case "text":
		return env.Stream(ctx, o.out, func(w io.Writer) error { return o.writeTable(ctx, env, w, c, found) })
	}
	p, err := c.Profile(ctx, o.Query, found.ids()...)
	if err != nil {
		return err
	}
	options := report.Options{Format: o.format, ASCII: asciiOnly(env)}
	if o.format == "hist" {
		options.Format, options.Hist = "text", true
	}
	if o.out == "" {
		options.Width, options.Color = env.Terminal(env.Stdout)
	}
	return env.Stream(ctx, o.out, func(w io.Writer) error { return report.Write(w, p, options) })
}

// writeJSON writes the server's response: of one API unchanged, of several as an array.
func (o *queryFlags) writeJSON(ctx context.Context, env *cli.Env, c *client.Client, found *found) error {
	var answers []json.RawMessage
	for _, a := range found.list {
		_, raw, err := c.API(ctx, a.ID, o.Query, fleet.Grouping(o.by))
		if err != nil {
			return err
		}
		answers = append(answers, raw)
	}
	return env.Stream(ctx, o.out, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if found.one {
			return enc.Encode(answers[0])
		}
		return enc.Encode(answers)
	})
}
