//go:build !markgen_off

package perf

// A config is what MARKGEN asked for.
type config struct {
	raw     string // the whole value
	collect string // names of collectors with + between; "": time
	buffer  uint64 // bytes of a trace's ring on each processor; 0: defaultBuffer
	file    string // "": no data file
	spool   string // directory where a data file with a name of its own is left for markgen push; "": none
	room    uint64 // bytes that may be there when the process starts
	keeper  string // of the command that keeps the data, see fetch; "": none
	report  string // "", "stderr" or a path
	only    string // globs, ";" between them, or @ and a file, until that is read; "": everything
	skip    string
	mono    bool // the clock must be nanotime
	tsc     bool // the clock must be the hardware's
	noself  bool

	triggers  []trigger
	waits     bool   // collection begins when a trigger says so
	period    uint64 // every=, ns; 0: none
	width     uint64 // of that, ns
	sample    uint64 // 1:N of all markers, the N; 0: as the directives say
	countdown bool   // one passage in N instead of windows
	seed      uint64 // of random numbers; 0: none is given
	callers   bool   // cells by caller
	pairs     bool   // which markers are open at once
	outermost bool   // of recursive scopes only the outermost are recorded
	shut      bool   // and their markers are shut meanwhile
	listed    listed // what the file of only=@FILE names
	adapt     bool   // where callers make a difference
	atEdges   string // names of collectors that are read there and nowhere else
	enough    uint64 // samples after which a marker is turned off; 0: never
	calls     uint64 // throttle=: after so many passages of
	quick     uint64 // so many ns at most, on average
	demote    uint64 // after so many scopes a marker is only counted; 0: never
	times     uint64 // if they take less than so many times what timing one costs, on average
	wild      bool   // at functions that are picked at random, and nowhere else
	pick      uint64 // so many of them
	known     string // a file that says what is known of them; "": nothing is
	busy      uint64 // load of 100 for each processor at which the process declines
}

// knownKeys is for the message about an unknown one. keeper is not among them:
// it is for the command to set.
const knownKeys = "collect, file, spool, report, only, skip, clock, buffer, noself, callers, adapt, pairs, outermost, start, pause, resume, stop, every, sample, countdown, seed, enough, throttle, demote, pick, known, busy"

// defaultFile is used when neither file nor report says where the data go.
const defaultFile = "%a.%p.markgen"

// saysAnything tells whether a value of MARKGEN has more than commas, as one may that is put together from parts.
func saysAnything(value string) bool {
	for i := range len(value) {
		if value[i] != ',' {
			return true
		}
	}
	return false
}

// parseConfig reads the value of MARKGEN: key[=value] with commas between; of a
// key given twice the last counts, so that a command can add to what is there.
// trouble is "" or says which key cannot be used and what to do.
func parseConfig(raw string) (c config, trouble string) {
	c.raw = raw
	busy := false
	for rest := raw; rest != ""; {
		var item string
		item, rest = cut(rest, ',')
		if item == "" {
			continue
		}
		key, value := cut(item, '=')
		hasValue := len(item) > len(key)
		if word := c.word(key); word != nil {
			if hasValue {
				return c, refuse(key, "takes no value; write "+key+" alone")
			}
			*word = true
			continue
		}
		wanted := ""
		switch key {
		case "collect":
			wanted = wantedCollectors
			if goodNames(value) {
				c.collect = value
				continue
			}
		case "adapt":
			wanted = wantedAtEdges
			if !hasValue || goodNames(value) && onlyRead(value) {
				c.adapt, c.atEdges = true, value
				continue
			}
		case "buffer":
			wanted = "bytes, from a page to 64G, such as 64K, 4M or 1G"
			if n, ok := parseSize(value); ok && n >= leastBuffer() {
				c.buffer = n
				continue
			}
		case "file":
			wanted = "a path"
			if value != "" {
				c.file = value
				continue
			}
		case "spool":
			wanted = "a directory, or DIR:SIZE with the bytes that it may hold, such as 64M or 2G"
			if c.spool, c.room = parseSpool(value); c.spool != "" {
				continue
			}
		case "keeper":
			wanted = "a socket"
			if value != "" {
				c.keeper = value
				continue
			}
		case "report":
			wanted = "a path, stderr or none"
			if value != "" {
				c.report = value
				if value == "none" {
					c.report = ""
				}
				continue
			}
		case "only", "skip":
			wanted = "globs with ; between them"
			if value != "" && (key == "only" || value[0] != '@') {
				if key == "only" {
					c.only = value
				} else {
					c.skip = value
				}
				continue
			}
		case "clock":
			wanted = "tsc or mono"
			if value == "tsc" || value == "mono" {
				c.tsc, c.mono = value == "tsc", value == "mono"
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
				c.outermost, c.shut = true, hasValue
				continue
			}
		case "every":
			wanted = "PERIOD:WINDOW, the window shorter than the period, such as 1s:10ms"
			period, width := cut(value, ':')
			p, ok := parseDuration(period)
			w, ok2 := parseDuration(width)
			if ok && ok2 && w > 0 && w < p {
				c.period, c.width = p, w
				continue
			}
		case "sample":
			wanted = "1:N with N from 1 to 1000000000"
			one, rate := cut(value, ':')
			if n, ok := parseUint(rate); ok && one == "1" && n >= 1 && n <= 1e9 {
				c.sample = n
				continue
			}
		case "seed":
			wanted = "a whole number from 0 to 999999999999999999"
			if n, ok := parseUint(value); ok {
				c.seed = n
				if n == 0 {
					c.seed = 1 << 63 // more than can be given
				}
				continue
			}
		case "enough":
			wanted = "a number of samples"
			if n, ok := parseUint(value); ok && n > 0 {
				c.enough = n
				continue
			}
		case "throttle":
			wanted = "CALLS:NS, such as 10000:100"
			calls, ns := cut(value, ':')
			n, ok := parseUint(calls)
			quick, ok2 := parseUint(ns)
			if ok && ok2 && n > 0 {
				c.calls, c.quick = n, quick
				continue
			}
		case "demote":
			wanted = "N:TIMES, such as 10000:20, or nothing"
			scopes, times := cut(value, ':')
			n, ok := parseUint(scopes)
			t, ok2 := parseUint(times)
			if !hasValue {
				n, ok, t, ok2 = demoteAfter, true, demoteBelow, true
			}
			if ok && ok2 && n > 0 && t > 0 && t <= 1e6 {
				c.demote, c.times = n, t
				continue
			}
		case "pick":
			wanted = "a number of functions from 1 to 50"
			if n, ok := parseUint(value); ok && n >= 1 && n <= mostPick {
				c.pick = n
				continue
			}
		case "known":
			wanted = "a path"
			if value != "" {
				c.known = value
				continue
			}
		case "busy":
			wanted = "a load in percent of all processors"
			if n, ok := parseUint(value); ok {
				c.busy, busy = n, true
				continue
			}
		default:
			if c.collect != "" && !hasValue && goodNames(c.collect+"+"+key) {
				return c, refuse(key, "not a key; for a collector write collect="+c.collect+"+"+key+"; the keys are "+knownKeys)
			}
			return c, refuse(key, "not a key; the keys are "+knownKeys)
		}
		if value == "" {
			return c, refuse(key, "has no value; give "+wanted)
		}
		return c, refuse(key, "cannot be "+value+"; give "+wanted)
	}
	if key := c.settleWild(busy); key != "" {
		return c, refuse(key, "is for collect=wild; give that, or leave it out")
	}
	if c.spool != "" && c.file != "" {
		return c, refuse("spool", "cannot go with file; leave one of the two out")
	}
	if c.file == "" && c.spool == "" && (c.report == "" || c.collects("trace")) { // records are nowhere else
		c.file = defaultFile
	}
	if c.atEdges != "" {
		if c.reads() {
			return c, refuse("adapt", "cannot be "+c.atEdges+" while collect is "+c.collect+"; give collectors with one of the two")
		}
		if c.collect == "" {
			c.collect = "time"
		}
		c.collect += "+" + c.atEdges
	}
	c.settleTriggers()
	return c, ""
}

// word is what a key without a value sets, nil for another key.
func (c *config) word(key string) *bool {
	switch key {
	case "noself":
		return &c.noself
	case "countdown":
		return &c.countdown
	case "callers":
		return &c.callers
	case "pairs":
		return &c.pairs
	}
	return nil
}

// refuse words the line about a key that cannot be used.
func refuse(key, what string) string {
	return `MARKGEN: key "` + key + `": ` + what + "; nothing is collected"
}

// chooses says whether some markers may be left out.
func (c *config) chooses() bool { return c.only != "" || c.listed.given || c.skip != "" || c.wild }

// readListed reads the file of only=@FILE, if there is one.
func (c *config) readListed() (trouble string) {
	if c.only == "" || c.only[0] != '@' {
		return ""
	}
	text, trouble := readAll(c.only[1:], false)
	if trouble != "" {
		return refuse("only", "cannot be "+c.only+": "+trouble+"; give a file with the ID of a marker or a glob on each line")
	}
	c.listed.parse(string(text))
	c.only = c.listed.globs
	return ""
}

// wants says whether the marker of that ID and name is collected: only names the
// ID or has a glob that matches, if there is any, and no glob of skip.
func (c *config) wants(id, name string) bool {
	if (c.only != "" || c.listed.given) && !c.listed.has(id) && !matchAny(c.only, name) {
		return false
	}
	return c.skip == "" || !matchAny(c.skip, name)
}

func matchAny(globs, name string) bool {
	for globs != "" {
		var g string
		if g, globs = cut(globs, ';'); g != "" && matchName(g, name) {
			return true
		}
	}
	return false
}

// matchName says whether a marker's name is matched by glob: the whole of it, or what stands behind its last slash.
func matchName(glob, name string) bool {
	if match(glob, name) {
		return true
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return match(glob, name[i+1:])
		}
	}
	return false
}

// match says whether all of name is matched by glob: * stands for any text,
// slashes and dots included, ? for any one byte; the rest for itself, so that
// names like (*T).Method can be written as they are. Time is at worst
// len(glob)*len(name): only the last * is ever widened.
func match(glob, name string) bool {
	g, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		switch {
		case g < len(glob) && glob[g] == '*':
			star, mark = g, n
			g++
		case g < len(glob) && (glob[g] == '?' || glob[g] == name[n]):
			g++
			n++
		case star >= 0:
			mark++
			g, n = star+1, mark
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == '*' {
		g++
	}
	return g == len(glob)
}

// expand replaces %p by the process id, %a by the name of the program, %t by
// the start time in UTC (20060102-150405) and %% by a percent sign.
func expand(path, app string, pid int, wallNS uint64) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+1 < len(path) {
			i++
			switch path[i] {
			case 'p':
				b = appendUint(b, uint64(pid))
				continue
			case 'a':
				b = append(b, app...)
				continue
			case 't':
				b = appendTime(b, wallNS)
				continue
			case '%':
				b = append(b, '%')
				continue
			}
			i--
		}
		b = append(b, path[i])
	}
	return string(b)
}
