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

// writePprof writes a profile for go tool pprof: profile.proto, packed by gzip.
//
// A marker is a function of the profile, a sample's stack is a marker with those around it
// that are known to have been open (see stacks), and the values of a sample are count,
// total and self. Counts and self times add up, so they are spread over the stacks they
// are of. Totals don't: the total of a caller has those of what it calls in it. They have
// samples of their own, in which the marker is alone. So for each of the three what pprof
// calls flat is the marker's own figure; of self times and counts, what it calls cum has
// also what is known to have been passed within.
func writePprof(w *bufio.Writer, p *profile.Profile, markers []*profile.Marker, _ Options) error {
	b := newPprofBuilder(p)
	left := 0
	for _, m := range markers {
		if m.Count == 0 {
			left++
			continue
		}
		b.marker(m)
	}
	b.comment(p, left)
	zw, err := gzip.NewWriterLevel(w, gzip.BestSpeed) // as package runtime/pprof does
	if err == nil {
		err = b.out.WriteUncompressed(zw)
	}
	if err != nil {
		return err
	}
	return zw.Close()
}

// pprofBuilder makes a profile.proto of a profile.
type pprofBuilder struct {
	out       *pprof.Profile
	stacks    *stacks
	noSelf    bool
	saturated bool // a figure is larger than the format has room for

	functions map[*profile.Marker]*pprof.Function
	locations map[frame]*pprof.Location
	labels    map[pprofLabels]map[string][]string
}

// pprofLabels are what pprof can group and filter samples by; "" are left out.
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
		// It has all that a binary could add.
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

// marker adds the samples of a marker that was passed.
func (b *pprofBuilder) marker(m *profile.Marker) {
	labels := b.label(m)
	alone := b.location(frame{m, m.Line})
	parts := b.stacks.of(m)
	if len(parts) == 1 && len(parts[0].frames) == 1 { // one sample for all three
		b.sample([]*pprof.Location{alone}, labels, m.Count, m.TotalNS(), m.SelfNS)
		return
	}
	for _, part := range parts {
		stack := make([]*pprof.Location, len(part.frames))
		for i, f := range part.frames {
			stack[i] = b.location(f)
		}
		b.sample(stack, labels, part.count, 0, part.selfNS)
	}
	b.sample([]*pprof.Location{alone}, labels, 0, m.TotalNS(), 0)
}

func (b *pprofBuilder) sample(stack []*pprof.Location, labels map[string][]string, count, total, self uint64) {
	if b.noSelf {
		self = 0
	}
	if count == 0 && total == 0 && self == 0 {
		return
	}
	values := []int64{b.value(count), b.value(total), b.value(self)}
	b.out.Sample = append(b.out.Sample, &pprof.Sample{Location: stack, Value: values[:len(b.out.SampleType)], Label: labels})
}

// value is the figure as the format has it, at most the largest there is.
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
		SystemName: m.ID.String(), // another than Name: or pprof takes that for one of C++, to be made readable
		Filename:   m.File,
		StartLine:  int64(m.Line),
	}
	b.functions[m] = f
	b.out.Function = append(b.out.Function, f)
	return f
}

// label returns the labels of a marker's samples. Samples share them.
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

// comment says what go tool pprof -comments is to show: the head of the text report, what
// is not in the profile, and all that a reader has to know.
func (b *pprofBuilder) comment(p *profile.Profile, left int) {
	for _, line := range heading(p) {
		b.out.Comments = append(b.out.Comments, strings.Join(line[:], ": "))
	}
	if left > 0 {
		b.out.Comments = append(b.out.Comments, "without "+units.Plural(left, "marker")+" never passed")
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
