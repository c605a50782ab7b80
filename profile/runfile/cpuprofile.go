package runfile

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/table"
	"github.com/markgen/markgen/runtime/layout"
)

// A cpuProfile is the CPU profile of a run (runtime/internal/cpuprofile).
type cpuProfile struct {
	frames []frame
	stacks []sampledStack
}

// A frame is a call of a function, at a line of its source.
type frame struct {
	function, file string
	line           int
}

// A sampledStack is a stack that was sampled.
type sampledStack struct {
	samples uint64
	frames  []int // innermost first
}

// samples returns the number of samples.
func (p *cpuProfile) samples() (n uint64) {
	for _, s := range p.stacks {
		n = profile.Add64(n, s.samples)
	}
	return n
}

// profileBlock reads the CPU profile.
func (r *run) profileBlock(b block) error {
	head, err := r.content(b, layout.OffProfileText)
	if err != nil {
		return err
	}
	length := r.order.Uint64(head[layout.OffProfileLen:])
	if length > min(b.size-layout.OffProfileText, table.MaxText) {
		return r.damaged(b.offset, "a CPU profile of %d bytes in a block of %d; it is left out", length, b.size)
	}
	text, err := r.content(b, layout.OffProfileText+length)
	if err != nil {
		return err
	}
	if r.cpuProfile.stacks != nil {
		return r.damaged(b.offset, "a second CPU profile; it is left out")
	}
	number := 0
	for line := range strings.Lines(string(text[layout.OffProfileText:])) {
		number++
		if !r.cpuProfile.add(strings.TrimSuffix(line, "\n")) {
			r.cpuProfile = cpuProfile{}
			return r.damaged(b.offset, "line %d of the CPU profile: %.80q can't be read; it is left out", number, line)
		}
	}
	return nil
}

// add adds a line of the text, and returns false if it can't be read.
func (p *cpuProfile) add(line string) bool {
	fields := strings.Split(line, "\t")
	switch {
	case fields[0] == "f" && len(fields) == 4:
		n, err := strconv.ParseUint(fields[2], 10, 31)
		p.frames = append(p.frames, frame{fields[1], fields[3], int(n)})
		return err == nil
	case fields[0] == "s" && len(fields) >= 2:
		n, err := strconv.ParseUint(fields[1], 10, 40) // so that sums fit into 64 bits
		s := sampledStack{samples: n}
		for _, f := range fields[2:] {
			i, err := strconv.ParseUint(f, 10, 31)
			if err != nil || i >= uint64(len(p.frames)) {
				return false
			}
			s.frames = append(s.frames, int(i))
		}
		p.stacks = append(p.stacks, s)
		return err == nil && n > 0
	}
	return false
}

// An openStack is a sampled stack as markers see it.
type openStack struct {
	samples float64
	markers []uint64 // whose scopes were open, innermost first, by global index; nil if there are none
	cost    bool     // markers' own code was running
}

// overlap is the part of the samples in markers' own code that counts for the function around it: while
// the processor waits for memory on the function's behalf, it runs the counters that follow. The
// share of one of scc's functions is off by 8.7 points of 100, and without this by 10.4 (bench -run
// shares).
const overlap = 0.15

// openMarkers returns the sampled stacks with the markers whose scopes were open.
func (r *run) openMarkers() []openStack {
	places := r.places()
	open := make([][]uint64, len(r.cpuProfile.frames))
	ofMarkers := make([]bool, len(r.cpuProfile.frames))
	for i, f := range r.cpuProfile.frames {
		open[i] = places.open(f)
		ofMarkers[i] = strings.HasPrefix(f.function, layout.MarkersPrefix)
	}
	stacks := make([]openStack, 0, len(r.cpuProfile.stacks))
	for _, s := range r.cpuProfile.stacks {
		o := openStack{samples: float64(s.samples)}
		for _, i := range s.frames {
			o.cost = o.cost || o.markers == nil && ofMarkers[i]
			o.markers = append(o.markers, open[i]...)
		}
		if o.cost {
			stacks = append(stacks, openStack{overlap * o.samples, o.markers, false})
			o.samples *= 1 - overlap
		}
		stacks = append(stacks, o)
	}
	return stacks
}

// A place is where the source of a marker is.
type place struct {
	index       uint64 // global
	first, last int    // lines
	function    bool
	literal     bool // it is a function literal
}

// A fileName is the import path of a package, "main" for package main as in the names of its functions,
// and the base name of one of its files.
type fileName struct{ path, base string }

// places are the places of markers whose scopes can be open, in the order of the table.
type places map[fileName][]place

// places returns the places of the markers that were on and are not only counted by design.
func (r *run) places() places {
	all := places{}
	for _, t := range r.ordered {
		for i, m := range t.Markers {
			index := t.first + uint64(i)
			if m == nil || m.CountOnly || !r.placed(index) || r.off[index] != "" && r.off[index] != profile.Demoted {
				continue
			}
			name := fileName{t.Path, path.Base(m.File)}
			if t.Main {
				name.path = "main"
			}
			function := m.Kind == "func"
			literal := function && strings.Contains(strings.TrimPrefix(m.Name, t.Path), ":")
			first := m.Line + t.Lines[i].Before
			all[name] = append(all[name], place{index, first, first + t.Lines[i].Within - 1, function, literal})
		}
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b place) int {
			return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(b.last, a.last))
		})
	}
	return all
}

// placed reports whether it is known where the source of a marker is.
func (r *run) placed(index uint64) bool {
	k, found := slices.BinarySearchFunc(r.ordered, index, func(t *unitTable, index uint64) int { return cmp.Compare(t.first, index) })
	if !found {
		k--
	}
	if k < 0 {
		return false
	}
	t := r.ordered[k]
	i := index - t.first
	return i < uint64(len(t.Lines)) && t.Lines[i].Within > 0
}

// open returns the markers whose scopes are open in a frame, the innermost first: of the innermost
// function around the line, all that the line is in. A literal may begin on a line of the function that
// it is in.
func (p places) open(f frame) (open []uint64) {
	literal := inLiteral.MatchString(f.function[strings.LastIndexByte(f.function, '/')+1:])
	list := p[fileName{packageOf(f.function), path.Base(f.file)}]
	for i := len(list) - 1; i >= 0; i-- {
		if at := list[i]; at.first <= f.line && f.line <= at.last && (literal || !at.literal) {
			open = append(open, at.index)
			if at.function {
				break
			}
		}
	}
	return open
}

// inLiteral matches the names that the compiler gives to function literals: F.func1, F.func2.1.
var inLiteral = regexp.MustCompile(`\.func\d+`)

// packageOf returns the import path of the package of a function, as its name has it.
func packageOf(function string) string {
	last := strings.LastIndexByte(function, '/') + 1
	if bracket := strings.IndexByte(function, '['); bracket >= 0 && bracket < last { // a type argument has a path
		last = strings.LastIndexByte(function[:bracket], '/') + 1
	}
	name, _, _ := strings.Cut(function[last:], ".")
	if name, err := url.PathUnescape(function[:last] + name); err == nil { // the compiler escapes dots as in URLs
		return name
	}
	return function[:last] + name
}
