package cpuprofile

import (
	"runtime"
	"unsafe"

	"github.com/markgen/markgen/runtime/internal/lite"
)

// Rate is the number of samples taken per second of processor time. Systems whose timers are
// coarser take fewer.
const Rate = 250

// Room is the processor time, in ns, for whose samples there is always room. The Go runtime's buffer
// has 128 Ki words (profBufWordCount in runtime/cpuprof.go), and a sample at most 70, most of which are
// its stack.
const Room = (128 << 10) / 70 * 1_000_000_000 / Rate

const (
	// maxWords is the maximum number of words that the different stacks in a profile take, 8 MB. Of
	// servers with 3,000 to 11,000 markers, 10 s had 650 to 1,500 stacks of some 20 frames, 0.3 MB.
	maxWords = 1 << 20

	// stackWords is how many words a stack takes besides its program counters: its struct, its key, and
	// its entries in the map and the list.
	stackWords = 12

	// maxRecords is the number of words of samples that are kept before they are added up. That makes
	// many small objects, and a test that counts its allocations should not see them.
	maxRecords = 1 << 20
)

// A Profile has the samples taken of the process. The zero value has none. It has one user at a
// time.
type Profile struct {
	Watch            string // end of the path of a file whose samples are counted; "" for none
	Samples, Watched uint64 // with Watch: samples that were read, and those whose innermost line is in it

	running bool
	records []uint64          // what was read and is not added up yet
	words   int               // what the stacks take
	limit   int               // maximum of that; 0 for maxWords
	stacks  map[string]*stack // by its program counters
	ordered []*stack
}

// A stack is a stack that was sampled: its program counters, the innermost first, in the form that
// runtime.CallersFrames takes, and the number of samples.
type stack struct {
	pcs []uintptr
	n   uint64
}

// Start begins to take samples. No other profile may be running.
func (p *Profile) Start() {
	if !Supported || p.running {
		return
	}
	runtime.SetCPUProfileRate(Rate)
	stopProcessTimer()
	p.running = true
}

// Running reports whether samples are being taken.
func (p *Profile) Running() bool { return p.running }

// Stop ends sampling and adds the latest samples to the profile.
func (p *Profile) Stop() {
	if !p.running {
		return
	}
	p.running = false
	runtime.SetCPUProfileRate(0)
	for {
		samples, _, eof := readProfile()
		if eof {
			return
		}
		if p.Watch != "" {
			p.count(samples)
		}
		if p.records = append(p.records, samples...); len(p.records) > maxRecords {
			p.addUp()
		}
	}
}

// Save adds the latest samples to the profile and goes on sampling. Stop does so at the end; in
// between it has to be called whenever the process has used Room processor time.
func (p *Profile) Save() {
	if p.running {
		p.Stop()
		p.Start()
	}
}

// readProfile returns samples, each with its length in words, its time, its number and its stack. It
// must not be called while the profiler runs, as it would wait for samples. See
// runtime_pprof_readProfile in runtime/cpuprof.go, and addCPUData in runtime/pprof/proto.go.
//
//go:linkname readProfile runtime/pprof.readProfile
func readProfile() (samples []uint64, tags []unsafe.Pointer, eof bool)

// count counts samples, and those in the file that is watched.
func (p *Profile) count(samples []uint64) {
	for len(samples) > head && samples[0] >= head && samples[0] <= uint64(len(samples)) {
		if n, pc := samples[2], samples[head]; samples[0] > head && n > 0 {
			p.Samples += n
			f, _ := runtime.CallersFrames([]uintptr{uintptr(pc)}).Next()
			if at := len(f.File) - len(p.Watch); at >= 0 && f.File[at:] == p.Watch {
				p.Watched += n
			}
		}
		samples = samples[samples[0]:]
	}
}

// head is the number of words of a sample before its stack.
const head = 3

// addUp adds up the records.
func (p *Profile) addUp() {
	p.add(p.records)
	p.records = p.records[:0]
}

// add adds what readProfile returned. The first record, with the rate, has no stack; one that says how
// many samples were lost has the number 0. New stacks for which there is no memory are left out.
func (p *Profile) add(samples []uint64) {
	limit := p.limit
	if limit == 0 {
		limit = maxWords
	}
	for len(samples) >= head && samples[0] >= head && samples[0] <= uint64(len(samples)) {
		n, words := samples[2], samples[head:samples[0]]
		samples = samples[samples[0]:]
		if n == 0 || len(words) == 0 {
			continue
		}
		pcs := make([]uintptr, len(words))
		for i, w := range words {
			pcs[i] = uintptr(w)
		}
		key := unsafe.String((*byte)(unsafe.Pointer(&pcs[0])), uintptr(len(pcs))*unsafe.Sizeof(pcs[0]))
		s := p.stacks[key]
		if s == nil {
			if p.words+len(pcs)+stackWords > limit {
				continue
			}
			p.words += len(pcs) + stackWords
			if p.stacks == nil {
				p.stacks = map[string]*stack{}
			}
			s = &stack{pcs: pcs}
			p.stacks[key] = s // the key is in pcs, which never change
			p.ordered = append(p.ordered, s)
		}
		s.n += n
	}
}

// AppendText appends the profile to b: a line of
//
//	f FUNCTION LINE FILE
//
// for each frame, numbered from 0, before the first line that uses it, and one of
//
//	s SAMPLES FRAME…
//
// for each stack, the innermost frame first. Fields are separated by tabs.
func (p *Profile) AppendText(b []byte) []byte {
	p.addUp()
	type place struct {
		function, file string
		line           int
	}
	places := map[place]uint64{}    // numbers of frames
	numbers := map[uintptr]uint64{} // by program counter, as to look it up takes some µs
	var line []byte
	for _, s := range p.ordered {
		line = lite.AppendUint(append(line[:0], 's', '\t'), s.n)
		for i, pc := range s.pcs {
			n, ok := numbers[pc]
			if !ok {
				f, _ := runtime.CallersFrames(s.pcs[i : i+1]).Next()
				at := place{f.Function, f.File, f.Line}
				if n, ok = places[at]; !ok && at.function != "" {
					n = uint64(len(places))
					places[at] = n
					b = append(append(b, "f\t"...), at.function...)
					b = lite.AppendUint(append(b, '\t'), uint64(at.line))
					b = append(append(append(b, '\t'), at.file...), '\n')
				} else if !ok {
					n = unknown
				}
				numbers[pc] = n
			}
			if n != unknown {
				line = lite.AppendUint(append(line, '\t'), n)
			}
		}
		b = append(append(b, line...), '\n')
	}
	return b
}

// unknown is the number of no frame.
const unknown = 1<<64 - 1
