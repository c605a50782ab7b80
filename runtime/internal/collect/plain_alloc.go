package collect

import "unsafe"

// readMetrics is the runtime's part of runtime/metrics.Read. It reads into an array of metrics,
// allocates nothing after the first call, and takes about a microsecond, one caller at a time.
//
//go:linkname readMetrics runtime/metrics.runtime_readMetrics
func readMetrics(samples unsafe.Pointer, n, room int)

// A metric is a metricSample of package runtime (runtime/metrics.go).
type metric struct {
	_      [0]func() // not comparable: == would add code
	name   string
	kind   int
	number uint64
	_      unsafe.Pointer
}

const metricNumber = 1 // metricKindUint64

// allocMetrics are the metrics of the process's allocation. A processor takes memory for objects of
// one size by the span, 8 KB or more, and a span is counted when the processor needs the next one:
// this limits the precision.
var allocMetrics = [...]metric{
	{name: "/gc/heap/allocs:bytes"},
	{name: "/gc/heap/allocs:objects"},
	{name: "/gc/heap/tiny/allocs:objects"},
}

var _ = [1]struct{}{}[unsafe.Sizeof(allocMetrics)/unsafe.Sizeof(Scratch{})] // there is room

// openAlloc returns the reader of the process's allocation.
func openAlloc(*Process) (r *Reader, missing []string) {
	if _, ok := readAlloc(new(Scratch), make([]uint64, 2)); !ok {
		return nil, []string{"this release of Go does not have the metrics /gc/heap/allocs"}
	}
	return &Reader{Name: ProcessAlloc, Values: []string{"bytes", "objects"}, Read: readAlloc, Distribution: true}, nil
}

//go:norace
//go:nocheckptr
func readAlloc(scratch *Scratch, into []uint64) (where uint64, ok bool) {
	m := (*[len(allocMetrics)]metric)(unsafe.Pointer(scratch))
	*m = allocMetrics
	readMetrics(unsafe.Pointer(m), len(m), len(m))
	into[0], into[1] = m[0].number, m[1].number+m[2].number
	return 0, m[0].kind == metricNumber && m[1].kind == metricNumber && m[2].kind == metricNumber
}
