package config

import (
	"syscall"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// A key is a key of MARKGEN.
type key struct {
	name   string
	wanted string // the values that it takes; "" if it takes none

	// field is the offset in Config of what it sets: a string, if text is true, a number, if there is
	// parse, or a bool, if it takes no value. All other keys are set by setPart.
	field uintptr
	text  bool
	parse func(string) (uint64, bool)
	least uint64 // of numbers
	most  uint64
	alone uint64 // number without a value; 0 if it needs one
}

// keys are all keys, in the order of Keys.
var keys = [...]key{
	{name: "collect", wanted: wantedCollectors},
	{name: "file", wanted: "a path", text: true, field: unsafe.Offsetof(Config{}.File)},
	{name: "spool", wanted: "a directory, or DIR:SIZE with the bytes that it may hold, such as 64M or 2G"},
	{name: "keeper", wanted: "a socket", text: true, field: unsafe.Offsetof(Config{}.Keeper)},
	{name: "report", wanted: "a path, stderr or none", text: true, field: unsafe.Offsetof(Config{}.Report)},
	{name: "only", wanted: wantedGlobs, text: true, field: unsafe.Offsetof(Config{}.Only)},
	{name: "skip", wanted: wantedGlobs, text: true, field: unsafe.Offsetof(Config{}.Skip)},
	{name: "clock", wanted: "tsc or mono"},
	{name: "buffer", wanted: "bytes, from a page to 64G, such as 64K, 4M or 1G"},
	{name: "noself", field: unsafe.Offsetof(Config{}.NoSelf)},
	{name: "callers", field: unsafe.Offsetof(Config{}.Callers)},
	{name: "paths", wanted: "a number of paths from 1 to 2097152, or nothing", field: unsafe.Offsetof(Config{}.Paths), parse: Uint, least: 1, most: MaxPaths, alone: defaultPaths},
	{name: "unfolded", field: unsafe.Offsetof(Config{}.Unfolded)},
	{name: "buckets", field: unsafe.Offsetof(Config{}.Buckets)},
	{name: "adapt", wanted: wantedAtEdges},
	{name: "pairs", field: unsafe.Offsetof(Config{}.Pairs)},
	{name: "outermost", wanted: "shut, or nothing"},
	{name: "start", wanted: wantedTrigger},
	{name: "pause", wanted: wantedTrigger},
	{name: "resume", wanted: wantedTrigger},
	{name: "stop", wanted: wantedTrigger},
	{name: "every", wanted: "PERIOD:WINDOW, the window shorter than the period, such as 1s:10ms"},
	{name: "sample", wanted: "1:N with N from 1 to 1000000000", field: unsafe.Offsetof(Config{}.Sample), parse: Rate, most: MaxRate},
	{name: "countdown", field: unsafe.Offsetof(Config{}.Countdown)},
	{name: "seed", wanted: "a whole number from 0 to 999999999999999999"},
	{name: "enough", wanted: "a number of samples", field: unsafe.Offsetof(Config{}.Enough), parse: Uint, least: 1, most: maxUint},
	{name: "throttle", wanted: "CALLS:NS, such as 10000:100"},
	{name: "demote", wanted: "N:TIMES, such as 1000:20, or nothing"},
	{name: "budget", wanted: "a part of the processor time above 0% and below 100%, such as 1% or 0.5%", field: unsafe.Offsetof(Config{}.Budget), parse: share, most: maxUint},
	{name: "pick", wanted: "a number of functions from 1 to 50", field: unsafe.Offsetof(Config{}.Pick), parse: Uint, least: 1, most: MaxPick},
	{name: "known", wanted: "a path", text: true, field: unsafe.Offsetof(Config{}.Known)},
	{name: "busy", wanted: "a load in percent of all processors", field: unsafe.Offsetof(Config{}.Busy), parse: Uint, most: maxUint},
}

const wantedGlobs = "globs with ; between them"

// find returns the key of that name, or nil.
//
//go:noinline
func find(name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// set stores the value of key k in c. It returns false if it is none that the key takes.
func (c *Config) set(k *key, value string, hasValue bool) bool {
	at := unsafe.Add(unsafe.Pointer(c), k.field)
	switch {
	case k.wanted == "":
		*(*bool)(at) = true
		return !hasValue
	case k.text:
		*(*string)(at) = value
		return value != ""
	case k.parse != nil:
		n, ok := k.parse(value)
		if k.alone != 0 && !hasValue {
			n, ok = k.alone, true
		}
		*(*uint64)(at) = n
		return ok && n >= k.least && n <= k.most
	}
	return c.setPart(k.name, value, hasValue)
}

// setPart is set for keys whose value is not stored as it is.
func (c *Config) setPart(key, value string, hasValue bool) (ok bool) {
	switch key {
	case "collect":
		c.Collect = value
		return areNames(value)
	case "spool":
		c.Spool, c.Room = parseSpool(value)
		return c.Spool != ""
	case "clock":
		c.TSC, c.Mono = value == "tsc", value == "mono"
		return c.TSC || c.Mono
	case "buffer": // a page at least: in a smaller ring, advancing would cost more than writing
		c.Buffer, ok = Size(value)
		return ok && c.Buffer >= uint64(syscall.Getpagesize()) && c.Buffer <= maxBuffer
	case "adapt":
		c.Adapt, c.AtEdges = true, value
		return !hasValue || areNames(value) && !Has(value, "time") && !Has(value, "trace")
	case "outermost":
		c.Outermost, c.Shut = true, hasValue
		return !hasValue || value == "shut"
	case "every":
		period, width := lite.Cut(value, ':')
		c.Period, ok = duration(period)
		c.Width, _ = duration(width)
		return ok && c.Width > 0 && c.Width < c.Period
	case "seed":
		if c.Seed, ok = Uint(value); c.Seed == 0 {
			c.Seed = 1 << 63 // larger than any that can be given
		}
		return ok
	case "throttle":
		c.Calls, c.Quick, ok = two(value)
		return ok && c.Calls > 0
	case "demote":
		if !hasValue {
			c.Demote, c.Times = demoteAfter, demoteBelow
			return true
		}
		c.Demote, c.Times, ok = two(value)
		return ok && c.Demote > 0 && c.Times > 0 && c.Times <= 1e6
	}
	return c.addTriggers(key, value)
}

// two parses A:B.
//
//go:noinline
func two(value string) (a, b uint64, ok bool) {
	x, y := lite.Cut(value, ':')
	a, ok = Uint(x)
	b, ok2 := Uint(y)
	return a, b, ok && ok2
}
