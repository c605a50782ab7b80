package report

import (
	"bufio"
	"compress/gzip"
	"math"
	"strings"

	pprof "github.com/google/pprof/profile"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// writePprof writes a profile for go tool pprof: profile.proto, compressed by gzip.
//
// A marker is a function of the profile. The stack of a sample is a marker and the markers known to
// have been open around it (see stacks), and its values are count, total and self. Counts and self
// times are additive, so they are distributed over the marker's stacks. Totals are not: a caller's
// total includes the totals of what it calls. They have separate samples, whose stack is the marker
// alone. So pprof's flat value is the marker's own value for all three; for self times and counts,
// pprof's cum value also includes what is known to have been executed within.
//
// Where call paths were recorded, stacks are complete, and all values add up along them: see paths.
func writePprof(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, _ Options) error {
	b := newPprofBuilder(p)
	left := 0
	for _, m := range markers {
		if m.Count == 0 {
			left++
			continue
		}
		if p.Paths == nil {
			b.marker(m)
		}
	}
	if p.Paths != nil {
		b.paths(p, markers)
	}
	b.comment(p, left)
	zw, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // as in package runtime/pprof
	if err == nil {
		err = b.out.WriteUncompressed(zw)
	}
	if err != nil {
		return err
	}
	return zw.Close()
}

// A pprofBuilder converts a profile to profile.proto.
type pprofBuilder struct {
	out       *pprof.Profile
	stacks    *stacks
	noSelf    bool
	allocated bool // samples have allocations
	saturated bool // a value exceeded the maximum of the format

	functions map[*profile.Marker]*pprof.Function
	locations map[frame]*pprof.Location
	labels    map[pprofLabels]map[string][]string
}

// pprofLabels are labels by which pprof can group and filter samples; empty ones are omitted.
type pprofLabels struct{ kind, group, sampled, off string }

func newPprofBuilder(p *profile.Profile) *pprofBuilder {
	b := &pprofBuilder{
		stacks:    newStacks(p),
		noSelf:    p.NoSelf,
		functions: map[*profile.Marker]*pprof.Function{},
		locations: map[frame]*pprof.Location{},
		labels:    map[pprofLabels]map[string][]string{},
	}
	b.out = &pprof.Profile{
		SampleType: []*pprof.ValueType{
			{Type: "count", Unit: "count"},
			{Type: "total", Unit: "nanoseconds"},
			{Type: "self", Unit: "nanoseconds"},
		},
		DefaultSampleType: "self",
		PeriodType:        &pprof.ValueType{Type: "wall", Unit: "nanoseconds"},
		DurationNanos:     b.value(p.ElapsedNS),
		// The profile has everything that symbolizing with the binary would add.
		Mapping: []*pprof.Mapping{{ID: 1, File: p.App, HasFunctions: true, HasFilenames: true, HasLineNumbers: true}},
	}
	if !p.Start.IsZero() {
		b.out.TimeNanos = p.Start.UnixNano()
	}
	if b.noSelf {
		b.out.SampleType = b.out.SampleType[:2]
		b.out.DefaultSampleType = "total"
	}
	return b
}

// marker adds the samples of an executed marker.
func (b *pprofBuilder) marker(m *profile.Marker) {
	labels := b.label(m)
	alone := b.location(frame{m, m.Line})
	parts := b.stacks.of(m)
	if len(parts) == 1 && len(parts[0].frames) == 1 { // one sample with all three values
		b.sample([]*pprof.Location{alone}, labels, values{count: m.Count, total: m.TotalNS(), self: m.SelfNS})
		return
	}
	for _, part := range parts {
		stack := make([]*pprof.Location, len(part.frames))
		for i, f := range part.frames {
			stack[i] = b.location(f)
		}
		b.sample(stack, labels, values{count: part.count, self: part.selfNS})
	}
	b.sample([]*pprof.Location{alone}, labels, values{total: m.TotalNS()})
}

// values are the values of a sample; times in ns, allocations those outside of scopes opened inside.
type values struct{ count, total, self, objects, bytes uint64 }

// less returns v without w, which may exceed it.
func (v values) less(w values) values {
	return values{
		profile.Sub64(v.count, w.count), profile.Sub64(v.total, w.total), profile.Sub64(v.self, w.self),
		profile.Sub64(v.objects, w.objects), profile.Sub64(v.bytes, w.bytes),
	}
}

// sample adds a sample, unless all its values are 0.
func (b *pprofBuilder) sample(stack []*pprof.Location, labels map[string][]string, v values) {
	list := []uint64{v.count, v.total}
	if !b.noSelf {
		list = append(list, v.self)
	}
	if b.allocated {
		list = append(list, v.objects, v.bytes)
	}
	sample, some := &pprof.Sample{Location: stack, Label: labels}, false
	for _, n := range list {
		sample.Value = append(sample.Value, b.value(n))
		some = some || n > 0
	}
	if some {
		b.out.Sample = append(b.out.Sample, sample)
	}
}

// value converts a value for the format, limited to the maximum.
func (b *pprofBuilder) value(n uint64) int64 {
	if n > math.MaxInt64 {
		b.saturated = true
		return math.MaxInt64
	}
	return int64(n)
}

func (b *pprofBuilder) location(f frame) *pprof.Location {
	if l := b.locations[f]; l != nil {
		return l
	}
	l := &pprof.Location{
		ID:      uint64(len(b.out.Location) + 1),
		Mapping: b.out.Mapping[0],
		Line:    []pprof.Line{{Function: b.function(f.marker), Line: int64(f.line)}},
	}
	b.locations[f] = l
	b.out.Location = append(b.out.Location, l)
	return l
}

func (b *pprofBuilder) function(m *profile.Marker) *pprof.Function {
	if f := b.functions[m]; f != nil {
		return f
	}
	f := &pprof.Function{
		ID:         uint64(len(b.out.Function) + 1),
		Name:       m.Name,
		SystemName: m.ID.String(), // differs from Name: pprof would demangle an equal name as a C++ name
		Filename:   m.File,
		StartLine:  int64(m.Line),
	}
	b.functions[m] = f
	b.out.Function = append(b.out.Function, f)
	return f
}

// label returns the labels of a marker's samples, which share the map.
func (b *pprofBuilder) label(m *profile.Marker) map[string][]string {
	key := pprofLabels{kind: m.Kind, group: m.Group, sampled: m.Rate(), off: m.Off}
	if have, ok := b.labels[key]; ok {
		return have
	}
	labels := map[string][]string{}
	for name, value := range map[string]string{"kind": key.kind, "group": key.group, "sampled": key.sampled, "off": key.off} {
		if value != "" {
			labels[name] = []string{value}
		}
	}
	b.labels[key] = labels
	return labels
}

// comment adds the text for go tool pprof -comments: the head of the text report, what is not in
// the profile, and all warnings.
func (b *pprofBuilder) comment(p *profile.Profile, left int) {
	for _, line := range heading(p) {
		b.out.Comments = append(b.out.Comments, strings.Join(line[:], ": "))
	}
	if left > 0 {
		b.out.Comments = append(b.out.Comments, "without "+units.Plural(left, "unvisited marker"))
	}
	if b.noSelf {
		b.out.Comments = append(b.out.Comments, "self times were not measured")
	}
	if b.saturated {
		b.out.Comments = append(b.out.Comments, "warning: figures past 2^63-1 are given as that, the largest that a pprof profile has room for")
	}
	for _, caution := range p.Cautions() {
		b.out.Comments = append(b.out.Comments, "warning: "+printable(caution))
	}
}
