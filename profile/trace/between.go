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

// An Endpoint is one end of the time between two markers: passages through a marker
// of that name, of one kind of record.
type Endpoint struct {
	Name string
	Kind uint8 // RecordEnter or RecordExit, also of a stopwatch; 0: where a scope begins, or a point
}

// String is the endpoint as a command line says it.
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

// is tells whether a record of the marker is a passage of the endpoint.
func (e Endpoint) is(kind uint8) bool {
	switch kind {
	case RecordStart:
		kind = RecordEnter
	case RecordStop:
		kind = RecordExit
	}
	return kind == e.Kind || e.Kind == 0 && (kind == RecordEnter || kind == RecordPoint)
}

// Endpoints reads the two ends of a time as a command line says them: names of
// markers, each with @enter or @exit behind it or nothing. A name that is none of
// names is looked for as the end of one, from a dot, slash or colon on, and as a
// pattern, in which * stands for any text; it has to fit one marker. From one marker to the same
// means its scopes, from where they begin to where they end, if it has scopes.
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

// mostNamed is how many names a message lists.
const mostNamed = 5

// An UnknownMarkerError says that no marker of a trace has the name.
type UnknownMarkerError struct{ Name string }

func (e *UnknownMarkerError) Error() string {
	return e.Name + ": no marker of that name is in the trace"
}

// Among tells whether the name means any of these markers, as one of Endpoints does.
func (e *UnknownMarkerError) Among(markers []Marker) bool {
	_, err := endpoint(e.Name, markers)
	unknown := (*UnknownMarkerError)(nil)
	return !errors.As(err, &unknown)
}

// fitsPattern tells whether all of name fits a pattern in which * stands for any
// text.
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

// Between is the time between two markers on the same goroutine, less what the
// markers on the way took from the program:
//
//	t(to) − t(from) − Σ cost
//
// over all records of the goroutine from the first, included, to the second, not
// included (US patent 6,873,934). Each passage of To belongs to the latest passage
// of From before it that has none yet. A scope of one marker to which both belong ends at the level
// it began at. From the start of a stopwatch to its stop may lead to another goroutine: then the cost is that of its start alone.
type Between struct {
	From, To Endpoint
	Spread            // of the times
	CostNS   float64  // what was taken off, all times together
	Unpaired uint64   // passages of From and To without the other
	Left     uint64   // of these, scopes that a panic or runtime.Goexit left, and that so have no end
	Records  uint64   // that were looked at
	Lost     uint64   // records that are missing
	Warnings []string // what is unusual, for people
}

// Add adds the times of a trace.
func (b *Between) Add(t *File) error {
	p := newPairing(b, t)
	err := t.Each(p.visit)
	p.end()
	b.Lost = profile.Add64(b.Lost, t.Lost)
	if p.dropped > 0 {
		b.Warnings = append(b.Warnings, fmt.Sprintf("%s: %s of %s had no end after a long time; they are counted as unpaired",
			t.Name, units.Plural(p.dropped, "passage"), b.From))
	}
	if t.records.Run.Unlogged > 0 && !p.scopes {
		b.Warnings = append(b.Warnings, t.Name+": the run changed its state more often than it could note; times that reach over later pauses are not left out")
	}
	if t.records.Sampled {
		b.Warnings = append(b.Warnings, t.Name+": the passages are a sample; where one is missing, another may have taken its place in a pair")
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
