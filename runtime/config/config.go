package config

import "github.com/markgen/markgen/runtime/internal/lite"

// A Config is a parsed value of MARKGEN.
type Config struct {
	Collect string // names of collectors with + between, without wild, see Collects; "" means time
	Buffer  uint64 // size of a trace's ring on each processor, bytes; 0 if not given
	File    string // "": no data file
	Spool   string // directory for a data file with a unique name, for markgen push; "" if none
	Room    uint64 // maximum bytes in Spool when the process starts
	Keeper  string // NAME.SECRET of the command that keeps the data; "" if none
	Report  string // "", "stderr" or a path
	Only    string // globs with ; between them, or @ and a file; "" means all markers
	Skip    string // globs with ; between them
	Mono    bool   // the clock must be the system's
	TSC     bool   // the clock must be the hardware's
	NoSelf  bool   // self times are not collected

	Triggers  []Trigger
	Waits     bool   // a trigger or a period starts collection
	Period    uint64 // every=, ns; 0 if not given
	Width     uint64 // of the window in each period, ns
	Sample    uint64 // N of sample=1:N for all markers; 0 to follow the directives
	Countdown bool   // time one scope in N instead of using windows; with paths always
	Seed      uint64 // of random numbers; 0 if not given
	Callers   bool   // cells by caller
	Paths     uint64 // maximum number of paths to record; 0 if none are
	Unfolded  bool   // a marker inside itself is a path of its own
	Buckets   bool   // of the times on each path
	Pairs     bool   // record which markers are open at once
	Outermost bool   // only the outermost scopes of recursive functions are recorded
	Shut      bool   // and their markers are off meanwhile
	Adapt     bool   // cells by caller where durations differ between callers
	AtEdges   string // names of collectors that are read only there
	Enough    uint64 // samples after which a marker is turned off; 0 if never
	Calls     uint64 // throttle=CALLS:NS: a marker is turned off after CALLS scopes
	Quick     uint64 // of NS ns or less on average
	Demote    uint64 // number of scopes after which a marker is only counted; 0 if never
	Times     uint64 // if their mean self time is less than this many times the cost of timing a scope
	Budget    uint64 // what markers may cost, as a part of the program's processor time, ppm; 0 if not given
	Wild      bool   // collect only at functions that are picked at random
	Pick      uint64 // number of functions to pick
	Known     string // file with the history of functions; "" if none
	Busy      uint64 // load in percent of all CPUs at which the process declines
}

// Keys are all keys for users, as messages show them. The command also sets keeper.
const Keys = "collect, file, spool, report, only, skip, clock, buffer, noself, callers, paths, unfolded, buckets, adapt, pairs, outermost, start, pause, resume, stop, every, sample, countdown, seed, enough, throttle, demote, budget, pick, known, busy"

// DefaultFile is the default of File if no key says where the data go.
const DefaultFile = "%a.%p.markgen"

// Defaults of keys, and maximum values.
const (
	maxBuffer = 64 << 30

	demoteAfter = 1_000
	demoteBelow = 20

	defaultPaths = 65_536

	defaultPick = 5
	defaultBusy = 75
	notGiven    = 1<<64 - 1 // of Busy

	maxUint = 999_999_999_999_999_999 // of Uint

	// DefaultRoom is the default of Room.
	DefaultRoom = 1 << 30

	// MaxPaths is the maximum of Paths.
	MaxPaths = 1 << 21

	// MaxPick is the maximum of Pick.
	MaxPick = 50
)

// IsSet reports whether a value has anything but commas, which a value that was put together from
// parts may have.
func IsSet(value string) bool {
	item, _ := Next(value)
	return item.Text != ""
}

// Parse parses a value of MARKGEN, see Set.
func Parse(value string) (c Config, problem string) {
	problem = c.Set(value)
	return c, problem
}

// Set parses a value of MARKGEN into the zero Config. If a key is given twice, the last one counts, so that
// a command can append to an existing value. problem is "", or the message that says which key cannot be
// used, why, and what to do.
func (c *Config) Set(value string) (problem string) {
	c.Busy = notGiven
	for item, rest := Next(value); item.Text != ""; item, rest = Next(rest) {
		k, what := find(item.Key), ""
		switch {
		case k == nil:
			what = "not a key; "
			if c.Collect != "" && !item.HasValue && areNames(c.Collect+"+"+item.Key) {
				what += "for a collector write collect=" + c.Collect + "+" + item.Key + "; "
			}
			what += "the keys are " + Keys
		case c.set(k, item.Value, item.HasValue):
			continue
		case k.wanted == "":
			what = "takes no value; write " + item.Key + " alone"
		case item.Value == "":
			what = "has no value; give " + k.wanted
		default:
			what = "cannot be " + item.Value + "; give " + k.wanted
		}
		return KeyError(item.Key, what)
	}
	if c.Skip != "" && c.Skip[0] == '@' {
		return KeyError("skip", "cannot be "+c.Skip+"; give "+wantedGlobs)
	}
	if c.Report == "none" {
		c.Report = ""
	}
	if key := c.settleWild(); key != "" {
		return KeyError(key, "is for collect=wild; give that, or leave it out")
	}
	if c.Spool != "" && c.File != "" {
		return KeyError("spool", "cannot go with file; leave one of the two out")
	}
	if c.File == "" && c.Spool == "" && (c.Report == "" || c.Collects("trace")) { // trace records are only in a file
		c.File = DefaultFile
	}
	switch {
	case c.Paths == 0 && c.Unfolded:
		return KeyError("unfolded", "is for paths; give that, or leave it out")
	case c.Paths == 0 && c.Buckets:
		return KeyError("buckets", "is for paths; give that, or leave it out")
	case c.Buckets && (c.Countdown || c.Sample > 1):
		return KeyError("buckets", "cannot be combined with sample or countdown, which know too few scopes of a path")
	case c.Paths > 0 && !c.Collects("time") && c.Collects("trace"):
		return KeyError("paths", "cannot be combined with collect="+c.Collect+"; give collect=time+trace")
	}
	if c.Paths > 0 && c.Sample > 1 {
		c.Countdown = true // windows do not know the scopes around
	}
	if c.AtEdges != "" {
		if c.Reads() {
			return KeyError("adapt", "cannot be "+c.AtEdges+" while collect is "+c.Collect+"; give collectors with one of the two")
		}
		if c.Collect == "" {
			c.Collect = "time"
		}
		c.Collect += "+" + c.AtEdges
	}
	c.settleTriggers()
	return c.settleBudget()
}

// settleWild removes wild from the collectors, since it is not one, and sets the defaults of its
// keys. It returns a key that was given and is useless without wild, or "".
func (c *Config) settleWild() (key string) {
	collect := ""
	for rest := c.Collect; rest != ""; {
		var one string
		if one, rest = lite.Cut(rest, '+'); one == "wild" {
			c.Wild = true
		} else if collect == "" {
			collect = one
		} else {
			collect += "+" + one
		}
	}
	c.Collect = collect
	switch {
	case c.Wild:
		if c.Pick == 0 {
			c.Pick = defaultPick
		}
		if c.Busy == notGiven {
			c.Busy = defaultBusy
		}
	case c.Pick > 0:
		return "pick"
	case c.Known != "":
		return "known"
	case c.Busy != notGiven:
		return "busy"
	default:
		c.Busy = 0
	}
	return ""
}

// KeyError returns the message about a key that cannot be used. what says why, and what to do.
//
//go:noinline
func KeyError(key, what string) string {
	return `MARKGEN: key "` + key + `": ` + what + "; nothing is collected"
}
