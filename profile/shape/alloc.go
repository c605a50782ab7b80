package shape

import (
	"fmt"

	"github.com/markgen/markgen/profile"
)

// Alloc is what calls allocate, by what the collector alloc read.
type Alloc struct {
	// Verdict is Yes where memory is allocated, No where it is not.
	Verdict Verdict `json:"verdict"`

	Scopes  uint64  `json:"scopes"`  // calls that were read at both ends
	Objects float64 `json:"objects"` // mean of a call, what it calls included
	Bytes   float64 `json:"bytes"`

	SelfObjects float64 `json:"self_objects"` // without what marked calls inside allocate
	SelfBytes   float64 `json:"self_bytes"`

	Evidence string `json:"evidence"`
	Need     string `json:"need,omitempty"`
}

// The collector, and its values.
const (
	allocCollector = "alloc"
	allocObjects   = "objects"
	allocBytes     = "bytes"
)

// eachCall is from how many objects on, on average, calls are said to allocate; below it is
// now and then.
const eachCall = 0.5

// alloc is nil if nothing was read.
func alloc(m *profile.Marker) *Alloc {
	for i := range m.Readings {
		r := &m.Readings[i]
		if r.Collector != allocCollector || r.Scopes == 0 {
			continue
		}
		a := &Alloc{Verdict: Undecided, Scopes: r.Scopes}
		n, objects := float64(r.Scopes), uint64(0)
		for _, v := range r.Values {
			switch v.Name {
			case allocObjects:
				objects = v.Sum
				a.Objects, a.SelfObjects = float64(v.Sum)/n, float64(v.Self)/n
			case allocBytes:
				a.Bytes, a.SelfBytes = float64(v.Sum)/n, float64(v.Self)/n
			}
		}
		a.judge(objects)
		return a
	}
	return nil
}

func (a *Alloc) judge(objects uint64) {
	switch {
	case a.Objects > 0 || a.Bytes > 0:
		a.Verdict = Yes
		a.Evidence = fmt.Sprintf("%s objects and %s bytes a call, of these %s and %s by itself; %s", number(a.Objects), number(a.Bytes), number(a.SelfObjects), number(a.SelfBytes), calls(a.Scopes))
		if a.Objects < eachCall {
			a.Evidence += fmt.Sprintf("; %s objects in all: now and then, not in every call", count(objects))
		}
	case a.Scopes < steadyCalls:
		a.Evidence, a.Need = "nothing in "+calls(a.Scopes), fmt.Sprintf("%d calls", steadyCalls)
	default: // the rule of three
		a.Verdict = No
		a.Evidence = fmt.Sprintf("nothing in %s: with 95 %% confidence less than one call in %s allocates", calls(a.Scopes), count(a.Scopes/3))
	}
}

func (a *Alloc) label() []string {
	switch {
	case a.Verdict == No:
		return []string{"allocation-free"}
	case a.Verdict != Yes:
		return nil
	case a.Objects < eachCall:
		return []string{"allocates now and then"}
	}
	return []string{fmt.Sprintf("allocates %s objects", number(a.Objects))}
}
