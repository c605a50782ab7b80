package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/fleet/spool"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/internal/interrupt"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/units"
)

var cmdPush = &cli.Command{
	Name:  "push",
	Short: "send the data in a spool to the central service",
	Long: `
usage: markgen push [flags] [SPOOL…]

Push sends the data that programs left in spools (MARKGEN=spool=DIR) to the central service (markgend), which adds
them up. Nothing else sends data, and the data are anonymous: for each build, Go release, platform and
model of processor the figures of markers, with their names and places in the source. No host, user, path outside the
module, argument or environment is in it; -dry-run shows every byte.

It can be ended at any moment, by kill -9 or with the machine, and started again: nothing is lost, and the service counts
nothing twice. What can't be sent stays in the spool for the next time. Of programs that still run it sends what is new.
SPOOL is $MARKGEN_SPOOL if none is given.

  -server URL       the service; $MARKGEN_SERVER if it is not given
  -token-file FILE  a file with a token of scope ingest; $MARKGEN_TOKEN if it is not given
  -token TOKEN      the token itself. Other users of the machine can see it in the list of processes: prefer the others
  -ca FILE          certificates, PEM, to trust besides the system's
  -batch SIZE       bytes in a request at most, before they are packed; 128K
  -limit SIZE       bytes that a spool may hold; 1G. Beyond that, data whose sending has not begun are added up,
                    by day and build
  -paths            send call paths, too, and with them the values of their labels (label=EXPR), which are made at
                    run time
  -once             send what there is, and end (default)
  -refused          send again what the service refused, from refused/ in the spool; it counts nothing twice
  -every DURATION   keep running, and send every DURATION, such as 10m, until SIGTERM
  -dry-run          send nothing and change nothing; print each request that would be sent, with its body line by line
  -x                with -dry-run: print the bytes of each body besides
  -json             print what was done as JSON

SIZE is in bytes, with K, M or G for powers of 1024. Exit codes: 0 all is sent, 1 something remains (a message says what),
2 wrong usage.

examples:
  MARKGEN=spool=/var/spool/shop ./shop
  markgen push -dry-run -server https://markgen.example.com /var/spool/shop
  markgen push -server https://markgen.example.com -token-file /etc/markgen/token /var/spool/shop
  markgen push -every 10m /var/spool/shop /var/spool/billing`,
	Run: runPush,
}

// A pusher has the options of push.
type pusher struct {
	env    *cli.Env
	spools []string
	target spool.Target
	client *http.Client
	pack   spool.PackOptions
	again  bool
	json   bool
	hex    bool
}

func runPush(ctx context.Context, env *cli.Env, args []string) int {
	fs := env.Flags()
	server := fs.String("server", env.Getenv("MARKGEN_SERVER"), "")
	token := fs.String("token", "", "")
	tokenFile := fs.String("token-file", "", "")
	ca := fs.String("ca", "", "")
	batch, limit := cli.Size(128<<10), cli.Size(spool.DefaultLimit)
	fs.Var(&batch, "batch", "")
	fs.Var(&limit, "limit", "")
	once := fs.Bool("once", false, "")
	every := fs.Duration("every", 0, "")
	dry := fs.Bool("dry-run", false, "")
	p := &pusher{env: env}
	fs.BoolVar(&p.pack.Paths, "paths", false, "")
	fs.BoolVar(&p.again, "refused", false, "")
	fs.BoolVar(&p.json, "json", false, "")
	fs.BoolVar(&p.hex, "x", false, "")
	if code, done := env.Parse(fs, args); done {
		return code
	}
	p.pack.Batch, p.pack.Limit = int(batch), int64(limit)
	switch {
	case batch < 1 || batch > 1<<30:
		return env.Wrong("-batch: give bytes from 1 to 1G")
	case *once && *every != 0:
		return env.Wrong("-once and -every exclude each other")
	case *every < 0:
		return env.Wrong("-every: %v is no time to wait", *every)
	case *dry && (*every != 0 || p.json || p.again):
		return env.Wrong("-dry-run goes with none of -every, -json and -refused")
	case p.again && *every != 0:
		return env.Wrong("-refused is for once, and -every can't be had with it")
	case p.hex && !*dry:
		return env.Wrong("-x is for -dry-run")
	case *token != "" && *tokenFile != "":
		return env.Wrong("-token and -token-file exclude each other")
	}
	if p.spools = fs.Args(); len(p.spools) == 0 {
		if dir := env.Getenv("MARKGEN_SPOOL"); dir != "" {
			p.spools = []string{dir}
		} else {
			return env.Wrong("no spool is given; name the directory of MARKGEN=spool=, or set MARKGEN_SPOOL")
		}
	}
	if *server == "" {
		return env.Wrong("no server is given; name it with -server, or set MARKGEN_SERVER")
	}
	var err error
	if p.target.Server, err = url.Parse(*server); err != nil || p.target.Server.Host == "" || p.target.Server.Scheme != "https" && p.target.Server.Scheme != "http" {
		return env.Wrong("-server: %q is no address such as https://markgen.example.com", *server)
	}
	p.target.Version = cli.Version()
	if p.target.Token, err = env.Token(*token, *tokenFile); err != nil {
		return env.Fail(err)
	}
	var roots []byte
	if *ca != "" {
		if roots, err = fileread.Named(env.Path(*ca)); err != nil {
			return env.Fail(fmt.Errorf("-ca: %w", err))
		}
	}
	if p.client, err = spool.NewClient(roots); err != nil {
		return env.Fail(fmt.Errorf("%s: %w", *ca, err))
	}
	if *dry {
		return p.preview(ctx)
	}
	env.WarnPlain(p.target.Server.String(), p.target.Token)
	ctx, stop := interrupt.Context(ctx)
	defer stop()
	for {
		code := p.push(ctx)
		if *every == 0 || ctx.Err() != nil {
			return code
		}
		select {
		case <-ctx.Done():
			return code
		case <-time.After(*every):
		}
	}
}

// pushed is the result for a spool, in the format of -json.
type pushed struct {
	Spool      string   `json:"spool"`
	Runs       int      `json:"runs"`       // ended processes
	Live       int      `json:"live"`       // running processes from whose data something was sent
	Sent       int      `json:"sent"`       // sent batches
	Known      int      `json:"known"`      // sent batches that the service already had
	Left       int      `json:"left"`       // remaining batches
	Merged     int      `json:"merged"`     // deliveries merged with others for lack of space
	Over       int64    `json:"over_bytes"` // bytes by which the spool exceeds its limit
	Declined   int64    `json:"declined"`   // processes that did not collect because the spool was full
	Refused    []string `json:"refused"`
	Unreadable []string `json:"unreadable"`
	Notes      []string `json:"notes"`
	Error      string   `json:"error,omitempty"` // why batches remain
}

// push sends the data in all spools.
func (p *pusher) push(ctx context.Context) int {
	code := cli.OK
	list := []pushed{}
	for _, dir := range p.spools {
		got := p.pushOne(ctx, dir)
		if got.Error != "" || got.Left > 0 || got.Over > 0 || len(got.Refused)+len(got.Unreadable) > 0 {
			code = cli.Finding
		}
		if list = append(list, got); !p.json {
			p.tell(got)
		}
	}
	if p.json {
		text, err := json.MarshalIndent(list, "", "\t")
		if err != nil {
			return p.env.Fail(err)
		}
		fmt.Fprintf(p.env.Stdout, "%s\n", text)
	}
	return code
}

func (p *pusher) pushOne(ctx context.Context, dir string) pushed {
	got := pushed{Spool: dir, Refused: []string{}, Unreadable: []string{}, Notes: []string{}}
	s, err := spool.Open(p.env.Path(dir))
	if err != nil {
		got.Error = err.Error()
		return got
	}
	defer s.Close()
	progress := newProgress(p.env, 0)
	progress.show(dir+": packing", 0)
	packed, err := s.Pack(ctx, p.pack)
	got.Runs, got.Live, got.Merged, got.Over, got.Declined = packed.Runs, packed.Live, packed.Merged, packed.Over, packed.Declined
	got.Unreadable = append(got.Unreadable, packed.Unreadable...)
	got.Notes = append(got.Notes, packed.Notes...)
	if err == nil && p.again {
		_, err = s.PutBack()
	}
	if err == nil {
		var sent spool.Sent
		sent, err = s.Send(ctx, spool.SendOptions{Target: p.target, Client: p.client, Progress: func(left int, trouble error) {
			text := dir + ": " + units.Plural(left, "batch") + " left"
			if trouble != nil {
				text += ", trying again: " + trouble.Error()
			}
			progress.show(text, 0)
		}})
		got.Sent, got.Known, got.Left = sent.Batches, sent.Known, sent.Left
		got.Refused = append(got.Refused, sent.Refused...)
	}
	progress.clear()
	if err != nil {
		got.Error = err.Error()
	}
	return got
}

// tell prints the result for a spool.
func (p *pusher) tell(got pushed) {
	e := p.env
	for _, text := range got.Notes {
		e.Warn(text)
	}
	for _, text := range got.Unreadable {
		e.Warn("set aside, as it can't be read: " + text)
	}
	for _, text := range got.Refused {
		e.Warn("set aside, as the service does not take it: " + text)
	}
	if len(got.Refused) > 0 {
		e.Warn(got.Spool + ": when what the service says of it is mended, markgen push -refused sends it again")
	}
	if got.Declined > 0 {
		e.Warn(fmt.Sprintf("%s: %d processes did not collect, since the spool was full; send more often, or give it more room (spool=DIR:SIZE)", got.Spool, got.Declined))
	}
	if got.Merged > 0 {
		e.Warn(fmt.Sprintf("%s: %d deliveries were added up with others of their day, for lack of room", got.Spool, got.Merged))
	}
	if got.Over > 0 {
		e.Warn(fmt.Sprintf("%s: it holds %d bytes more than it may, and nothing more can be added up; nothing was dropped. Send it, or give -limit", got.Spool, got.Over))
	}
	line := got.Spool + ": " + units.Plural(got.Sent, "batch") + " sent"
	if got.Known > 0 {
		line += fmt.Sprintf(", %d of them known already", got.Known)
	}
	if got.Left > 0 {
		line += fmt.Sprintf(", %d remain", got.Left)
	}
	fmt.Fprintln(e.Stdout, line)
	if got.Error != "" {
		e.Fail(errors.New(got.Error))
	}
}

// preview prints what would be sent.
func (p *pusher) preview(ctx context.Context) int {
	t := p.target
	if t.Token != "" {
		t.Token = "(the token)"
	}
	w := p.env.Stdout
	requests, bytes := 0, 0
	for _, dir := range p.spools {
		s, err := spool.Look(p.env.Path(dir))
		if err != nil {
			return p.env.Fail(err)
		}
		err = s.Preview(ctx, p.pack, t, func(v spool.Preview) error {
			requests, bytes = requests+1, bytes+len(v.Head)+len(v.Sent)
			fmt.Fprintf(w, "# %s, request %d\n", filepath.Clean(dir), requests)
			if v.New {
				fmt.Fprintln(w, "# the run in the address is drawn anew when it is sent")
			}
			fmt.Fprintf(w, "%s", strings.ReplaceAll(string(v.Head), "\r\n", "\n"))
			if p.hex {
				fmt.Fprintf(w, "# the body as it is sent, %d bytes\n%s\n", len(v.Sent), hex.Dump(v.Sent))
			}
			fmt.Fprintf(w, "# the body unpacked, %d bytes: a profile file\n", len(v.Body))
			if err := codec.List(w, v.Body); err != nil {
				return err
			}
			_, err := fmt.Fprintln(w)
			return err
		})
		if err != nil {
			return p.env.Fail(err)
		}
	}
	fmt.Fprintf(w, "# %d requests, %d bytes; nothing was sent\n", requests, bytes)
	return cli.OK
}
