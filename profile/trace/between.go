package trace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// An Endpoint is one end of a measured interval: records of one kind of the markers with a name.
type Endpoint struct {
	Name string
	Kind uint8 // RecordEnter or RecordExit, also for a stopwatch; 0 for the start of a scope, or a point
}

// String returns the endpoint in command-line syntax.
func (e Endpoint) String() string {
	switch e.Kind {
	case RecordEnter:
		return e.Name + enterSuffix
	case RecordExit:
		return e.Name + exitSuffix
	}
	return e.Name
}

const enterSuffix, exitSuffix = "@enter", "@exit"

// is reports whether a record of this kind of the marker matches the endpoint.
func (e Endpoint) is(kind uint8) bool {
	switch kind {
	case RecordStart:
		kind = RecordEnter
	case RecordStop:
		kind = RecordExit
	}
	return kind == e.Kind || e.Kind == 0 && (kind == RecordEnter || kind == RecordPoint)
}

// Endpoints parses the two ends of an interval in command-line syntax: names of markers, optionally
// followed by @enter or @exit. A name that is not the full name of a marker may be its end,
// starting after a dot, slash or colon, or a pattern in which * matches any text; it must match
// exactly one marker. From a marker to itself means its scopes, from start to end, if it has
// scopes.
func Endpoints(from, to string, markers []Marker) (a, b Endpoint, err error) {
	if a, err = endpoint(from, markers); err != nil {
		return a, b, err
	}
	if b, err = endpoint(to, markers); err != nil {
		return a, b, err
	}
	if a.Name == b.Name && a.Kind != RecordExit && b.Kind == 0 && hasScopes(a.Name, markers) {
		b.Kind = RecordExit
	}
	return a, b, nil
}

func endpoint(text string, markers []Marker) (e Endpoint, err error) {
	name := text
	if n, ok := strings.CutSuffix(text, enterSuffix); ok {
		name, e.Kind = n, RecordEnter
	} else if n, ok := strings.CutSuffix(text, exitSuffix); ok {
		name, e.Kind = n, RecordExit
	}
	for _, fits := range []func(marker string) bool{
		func(marker string) bool { return marker == name },
		func(marker string) bool {
			before, ok := strings.CutSuffix(marker, name)
			return ok && name != "" && strings.ContainsRune("./:", rune(before[len(before)-1]))
		},
		func(marker string) bool { return strings.ContainsRune(name, '*') && fitsPattern(name, marker) },
	} {
		found := map[string]bool{}
		for _, m := range markers {
			if fits(m.Name) {
				found[m.Name] = true
			}
		}
		switch names := slices.SortedFunc(maps.Keys(found), profile.CompareNames); {
		case len(names) == 1:
			if e.Name = names[0]; e.Kind != 0 && !hasScopes(e.Name, markers) {
				return e, fmt.Errorf("%s: a point has no two ends; leave out %s", text, text[len(name):])
			}
			return e, nil
		case len(names) > 1:
			more := ""
			if len(names) > mostNamed {
				names, more = names[:mostNamed], ", …"
			}
			return e, fmt.Errorf("%s: several markers fit: %s%s; give one of them", text, strings.Join(names, ", "), more)
		}
	}
	return e, &UnknownMarkerError{name}
}

// mostNamed is the maximum number of names in a message.
const mostNamed = 5

// An UnknownMarkerError is returned if no marker of a trace matches the name.
type UnknownMarkerError struct{ Name string }

func (e *UnknownMarkerError) Error() string {
	return e.Name + ": no marker of that name is in the trace"
}

// Among reports whether the name matches any of these markers, by the rules of Endpoints.
func (e *UnknownMarkerError) Among(markers []Marker) bool {
	_, err := endpoint(e.Name, markers)
	unknown := (*UnknownMarkerError)(nil)
	return !errors.As(err, &unknown)
}

// fitsPattern reports whether name matches pattern, in which * stands for any text.
func fitsPattern(pattern, name string) bool {
	first, rest, ok := strings.Cut(pattern, "*")
	name, fits := strings.CutPrefix(name, first)
	if !fits || !ok {
		return fits && name == ""
	}
	for {
		part, after, ok := strings.Cut(rest, "*")
		if !ok {
			return strings.HasSuffix(name, part)
		}
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name, rest = name[at+len(part):], after
	}
}

func hasScopes(name string, markers []Marker) bool {
	return slices.ContainsFunc(markers, func(m Marker) bool { return m.Name == name && m.Kind != "point" })
}

// Between measures the time between two markers on the same goroutine, without the cost of the
// markers in between:
//
//	t(to) − t(from) − Σ cost
//
// with the sum over all records of the goroutine from the first, inclusive, to the second,
// exclusive (US patent 6,873,934). Each call of To is paired with the latest unpaired call of From
// before it. If both belong to scopes of one marker, they must be at the same level. A stopwatch
// may be stopped by another goroutine than the one that started it; then only the cost of the start
// is subtracted.
type Between struct {
	From, To Endpoint
	Spread            // distribution of the times
	Slowest  Pair     // the pair with the longest time, or the first of several; zero if there is none
	CostNS   float64  // total cost subtracted
	Unpaired uint64   // calls of From and To without a partner
	Left     uint64   // number of these that are scopes left by a panic or runtime.Goexit, which have no end
	Records  uint64   // number of records read
	Lost     uint64   // number of records missing
	Warnings []string // problems, for people
}

// A Pair is a scope of From with the scope of To that follows it.
type Pair struct {
	NS        float64 // corrected time
	StartNS   float64 // when From was reached, from the start of the run
	Goroutine uint64
	File      string // name of the trace's file
}

// Add adds the times in a trace.
func (b *Between) Add(t *File) error {
	p := newPairing(b, t)
	err := t.Each(p.visit)
	p.end()
	b.Lost = profile.Add64(b.Lost, t.Lost)
	if p.dropped > 0 {
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s: %s of %s had no end after a long time; they are counted as unpaired",
			t.Name, units.Plural(p.dropped, "scope"), b.From))
	}
	if t.records.Run.Unlogged > 0 && !p.scopes {
		b.Warnings = append(b.Warnings, t.Name+": the run changed its state more often than it could note; times that reach over later pauses are not left out")
	}
	if t.records.Sampled {
		b.Warnings = append(b.Warnings, t.Name+": only a sample of the scopes was recorded; where one is missing, another may have taken its place in a pair")
	}
	if t.Lost > 0 {
		what := "times that may reach over the gap are left out"
		if t.Unplaced > 0 {
			what = "where is not known of all, so some times may be too long"
		}
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s: %s of %d missing; %s", t.Name, units.Plural(t.Lost, "record"), profile.Add64(t.Records, t.Lost), what))
	}
	return err
}
