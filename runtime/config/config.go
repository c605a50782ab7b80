package config

import (
	"syscall"

	"github.com/markgen/markgen/runtime/internal/lite"
)

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

	// DefaultRoom is the default of Room.
	DefaultRoom = 1 << 30

	// MaxPaths is the maximum of Paths.
	MaxPaths = 1 << 21

	// MaxPick is the maximum of Pick.
	MaxPick = 50
)

// minBuffer returns the minimum size of a ring, a page: in a smaller one, advancing would cost
// more than writing.
func minBuffer() uint64 { return uint64(syscall.Getpagesize()) }

// IsSet reports whether a value has anything but commas, which a value that was put together from
// parts may have.
func IsSet(value string) bool {
	item, _ := Next(value)
	return item.Text != ""
}

// Parse parses a value of MARKGEN. If a key is given twice, the last one counts, so that a command
// can append to an existing value. problem is "", or the message that says which key cannot be
// used, why, and what to do.
func Parse(value string) (c Config, problem string) {
	busy := false
	for {
		var item Item
		if item, value = Next(value); item.Text == "" {
			break
		}
		key, value, hasValue := item.Key, item.Value, item.HasValue
		if word := c.word(key); word != nil {
			if hasValue {
				return c, KeyError(key, "takes no value; write "+key+" alone")
			}
			*word = true
			continue
		}
		wanted := ""
		switch key {
		case "collect":
			wanted = wantedCollectors
			if areNames(value) {
				c.Collect = value
				continue
			}
		case "adapt":
			wanted = wantedAtEdges
			if !hasValue || areNames(value) && !Has(value, "time") && !Has(value, "trace") {
				c.Adapt, c.AtEdges = true, value
				continue
			}
		case "buffer":
			wanted = "bytes, from a page to 64G, such as 64K, 4M or 1G"
			if n, ok := Size(value); ok && n >= minBuffer() && n <= maxBuffer {
				c.Buffer = n
				continue
			}
		case "file":
			wanted = "a path"
			if value != "" {
				c.File = value
				continue
			}
		case "spool":
			wanted = "a directory, or DIR:SIZE with the bytes that it may hold, such as 64M or 2G"
			if c.Spool, c.Room = parseSpool(value); c.Spool != "" {
				continue
			}
		case "keeper":
			wanted = "a socket"
			if value != "" {
				c.Keeper = value
				continue
			}
		case "report":
			wanted = "a path, stderr or none"
			if value != "" {
				c.Report = value
				if value == "none" {
					c.Report = ""
				}
				continue
			}
		case "only", "skip":
			wanted = "globs with ; between them"
			if value != "" && (key == "only" || value[0] != '@') {
				if key == "only" {
					c.Only = value
				} else {
					c.Skip = value
				}
				continue
			}
		case "clock":
			wanted = "tsc or mono"
			if value == "tsc" || value == "mono" {
				c.TSC, c.Mono = value == "tsc", value == "mono"
				continue
			}
		case "start", "pause", "resume", "stop":
			wanted = wantedTrigger
			if c.addTriggers(key, value) {
				continue
			}
		case "outermost":
			wanted = "shut, or nothing"
			if !hasValue || value == "shut" {
				c.Outermost, c.Shut = true, hasValue
				continue
			}
		case "every":
			wanted = "PERIOD:WINDOW, the window shorter than the period, such as 1s:10ms"
			period, width := lite.Cut(value, ':')
			p, ok := duration(period)
			w, ok2 := duration(width)
			if ok && ok2 && w > 0 && w < p {
				c.Period, c.Width = p, w
				continue
			}
		case "sample":
			wanted = "1:N with N from 1 to 1000000000"
			if n, ok := Rate(value); ok {
				c.Sample = n
				continue
			}
		case "seed":
			wanted = "a whole number from 0 to 999999999999999999"
			if n, ok := Uint(value); ok {
				c.Seed = n
				if n == 0 {
					c.Seed = 1 << 63 // larger than any that can be given
				}
				continue
			}
		case "enough":
			wanted = "a number of samples"
			if n, ok := Uint(value); ok && n > 0 {
				c.Enough = n
				continue
			}
		case "throttle":
			wanted = "CALLS:NS, such as 10000:100"
			calls, ns := lite.Cut(value, ':')
			n, ok := Uint(calls)
			quick, ok2 := Uint(ns)
			if ok && ok2 && n > 0 {
				c.Calls, c.Quick = n, quick
				continue
			}
		case "demote":
			wanted = "N:TIMES, such as 1000:20, or nothing"
			scopes, times := lite.Cut(value, ':')
			n, ok := Uint(scopes)
			t, ok2 := Uint(times)
			if !hasValue {
				n, ok, t, ok2 = demoteAfter, true, demoteBelow, true
			}
			if ok && ok2 && n > 0 && t > 0 && t <= 1e6 {
				c.Demote, c.Times = n, t
				continue
			}
		case "budget":
			wanted = "a part of the processor time above 0% and below 100%, such as 1% or 0.5%"
			if ppm, ok := share(value); ok {
				c.Budget = ppm
				continue
			}
		case "paths":
			wanted = "a number of paths from 1 to 2097152, or nothing"
			n, ok := Uint(value)
			if !hasValue {
				n, ok = defaultPaths, true
			}
			if ok && n >= 1 && n <= MaxPaths {
				c.Paths = n
				continue
			}
		case "pick":
			wanted = "a number of functions from 1 to 50"
			if n, ok := Uint(value); ok && n >= 1 && n <= MaxPick {
				c.Pick = n
				continue
			}
		case "known":
			wanted = "a path"
			if value != "" {
				c.Known = value
				continue
			}
		case "busy":
			wanted = "a load in percent of all processors"
			if n, ok := Uint(value); ok {
				c.Busy, busy = n, true
				continue
			}
		default:
			if c.Collect != "" && !hasValue && areNames(c.Collect+"+"+key) {
				return c, KeyError(key, "not a key; for a collector write collect="+c.Collect+"+"+key+"; the keys are "+Keys)
			}
			return c, KeyError(key, "not a key; the keys are "+Keys)
		}
		if value == "" {
			return c, KeyError(key, "has no value; give "+wanted)
		}
		return c, KeyError(key, "cannot be "+value+"; give "+wanted)
	}
	if key := c.settleWild(busy); key != "" {
		return c, KeyError(key, "is for collect=wild; give that, or leave it out")
	}
	if c.Spool != "" && c.File != "" {
		return c, KeyError("spool", "cannot go with file; leave one of the two out")
	}
	if c.File == "" && c.Spool == "" && (c.Report == "" || c.Collects("trace")) { // trace records are only in a file
		c.File = DefaultFile
	}
	switch {
	case c.Paths == 0 && c.Unfolded:
		return c, KeyError("unfolded", "is for paths; give that, or leave it out")
	case c.Paths == 0 && c.Buckets:
		return c, KeyError("buckets", "is for paths; give that, or leave it out")
	case c.Buckets && (c.Countdown || c.Sample > 1):
		return c, KeyError("buckets", "cannot be combined with sample or countdown, which know too few scopes of a path")
	case c.Paths > 0 && !c.Collects("time") && c.Collects("trace"):
		return c, KeyError("paths", "cannot be combined with collect="+c.Collect+"; give collect=time+trace")
	}
	if c.Paths > 0 && c.Sample > 1 {
		c.Countdown = true // windows do not know the scopes around
	}
	if c.AtEdges != "" {
		if c.Reads() {
			return c, KeyError("adapt", "cannot be "+c.AtEdges+" while collect is "+c.Collect+"; give collectors with one of the two")
		}
		if c.Collect == "" {
			c.Collect = "time"
		}
		c.Collect += "+" + c.AtEdges
	}
	c.settleTriggers()
	return c, c.settleBudget()
}

// word returns the field that a key without a value sets, nil for any other key.
func (c *Config) word(key string) *bool {
	switch key {
	case "noself":
		return &c.NoSelf
	case "countdown":
		return &c.Countdown
	case "callers":
		return &c.Callers
	case "unfolded":
		return &c.Unfolded
	case "buckets":
		return &c.Buckets
	case "pairs":
		return &c.Pairs
	}
	return nil
}

// settleWild removes wild from the collectors, since it is not one, and sets the defaults of its
// keys. busy says whether that key was given. It returns a key that was given and is useless
// without wild, or "".
func (c *Config) settleWild(busy bool) (key string) {
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
	case c.Wild && c.Pick == 0:
		c.Pick = defaultPick
	case c.Wild:
	case c.Pick > 0:
		return "pick"
	case c.Known != "":
		return "known"
	case busy:
		return "busy"
	}
	if c.Wild && !busy {
		c.Busy = defaultBusy
	}
	return ""
}

// KeyError returns the message about a key that cannot be used. what says why, and what to do.
//
//go:noinline
func KeyError(key, what string) string {
	return `MARKGEN: key "` + key + `": ` + what + "; nothing is collected"
}
