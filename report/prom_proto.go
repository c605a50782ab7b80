package report

import (
	"bufio"
	"encoding/binary"
	"math"
	"slices"
)

// A protoWriter writes the protocol buffer format of Prometheus. It contains the encoded fields of
// the current family.
//
// The messages and field numbers are in io/prometheus/client/metrics.proto of
// github.com/prometheus/client_model, and their encoding in
// https://protobuf.dev/programming-guides/encoding/.
type protoWriter []byte

// family writes a MetricFamily message, preceded by its length.
func (p *protoWriter) family(w *bufio.Writer, f *promFamily) error {
	*p = (*p)[:0]
	p.string(1, f.name)
	p.string(2, f.help)
	p.varint(3, map[promKind]uint64{promCounter: 0, promGauge: 1, promSummary: 2, promHistogram: 4}[f.kind])
	head := len(*p)
	f.metrics(func(m *promMetric) {
		metric := p.begin(4)
		p.metric(f.kind, m)
		p.end(metric)
	})
	if len(*p) == head {
		return nil
	}
	w.Write(binary.AppendUvarint(nil, uint64(len(*p))))
	_, err := w.Write(*p) // a bufio.Writer keeps its first error
	return err
}

// metric encodes the fields of a Metric message.
func (p *protoWriter) metric(kind promKind, m *promMetric) {
	for _, l := range m.labels {
		label := p.begin(1)
		p.string(1, l.name)
		p.string(2, l.value)
		p.end(label)
	}
	value := p.begin(map[promKind]int{promGauge: 2, promCounter: 3, promSummary: 4, promHistogram: 7}[kind])
	if kind == promGauge || kind == promCounter {
		p.double(1, m.value)
	} else {
		p.varint(1, m.count)
		p.double(2, m.value)
	}
	for _, b := range m.buckets {
		bucket := p.begin(3)
		p.varint(1, b.count)
		p.double(2, b.bound)
		p.end(bucket)
	}
	if m.native != nil {
		p.native(m.native)
	}
	p.end(value)
}

// native encodes the fields that make a Histogram message a native histogram. Its buckets are spans
// of adjacent buckets, each with its distance from the end of the previous span, and counts, each
// as the difference from the previous count.
func (p *protoWriter) native(h *promNative) {
	p.zigzag(5, 0) // schema
	p.double(6, h.threshold)
	p.varint(7, h.zeros)
	next := 0 // index of the next bucket if there is no gap
	for rest := h.buckets; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].index == rest[0].index+n {
			n++
		}
		span := p.begin(12)
		p.zigzag(1, int64(rest[0].index-next))
		p.varint(2, uint64(n))
		p.end(span)
		next, rest = rest[0].index+n, rest[n:]
	}
	before := int64(0)
	for _, b := range h.buckets {
		p.zigzag(13, int64(b.count)-before)
		before = int64(b.count)
	}
}

// Wire types of fields.
const (
	protoVarint = 0
	protoDouble = 1
	protoBytes  = 2
)

// tag encodes the start of a field.
func (p *protoWriter) tag(field, wire int) {
	*p = binary.AppendUvarint(*p, uint64(field<<3|wire))
}

func (p *protoWriter) varint(field int, v uint64) {
	p.tag(field, protoVarint)
	*p = binary.AppendUvarint(*p, v)
}

// zigzag encodes a field of type sint32 or sint64.
func (p *protoWriter) zigzag(field int, v int64) {
	p.tag(field, protoVarint)
	*p = binary.AppendVarint(*p, v)
}

func (p *protoWriter) double(field int, v float64) {
	p.tag(field, protoDouble)
	*p = binary.LittleEndian.AppendUint64(*p, math.Float64bits(v))
}

func (p *protoWriter) string(field int, s string) {
	p.tag(field, protoBytes)
	*p = append(binary.AppendUvarint(*p, uint64(len(s))), s...)
}

// begin starts an embedded message, which ends when end is called with the result of begin.
func (p *protoWriter) begin(field int) (at int) {
	p.tag(field, protoBytes)
	return len(*p)
}

func (p *protoWriter) end(at int) {
	var length [binary.MaxVarintLen64]byte
	*p = slices.Insert(*p, at, length[:binary.PutUvarint(length[:], uint64(len(*p)-at))]...)
}
