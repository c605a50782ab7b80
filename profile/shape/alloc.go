package shape

import (
	"fmt"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/units"
)

// Alloc describes a marker's heap allocation per call, as the alloc collector measured it.
type Alloc struct {
	// Verdict is Yes if calls allocate and No if they do not. It is Undecided if only the
	// allocations of the whole process were measured, as in builds without -deep.
	Verdict Verdict `json:"verdict"`

	Scopes  uint64  `json:"scopes"`  // calls read at entry and at exit
	Share   float64 `json:"share"`   // fraction of them that allocate; 0 if unknown
	Objects float64 `json:"objects"` // mean per call, including callees
	Bytes   float64 `json:"bytes"`

	SelfObjects float64 `json:"self_objects"` // without the allocations of marked callees
	SelfBytes   float64 `json:"self_bytes"`

	Evidence string `json:"evidence"`
	Need     string `json:"need,omitempty"`
}

// minAllocShare is the share of calls that must allocate; below it, a function "allocates now and
// then".
const minAllocShare = 0.5

// alloc returns nil if no allocations were read.
func alloc(m *profile.Marker) *Alloc {
	r, own := m.Reading(profile.Alloc), true
	if r == nil {
		r, own = m.Reading(profile.ProcessAlloc), false
	}
	if r == nil || r.Scopes == 0 {
		return nil
	}
	a := &Alloc{Verdict: Undecided, Scopes: r.Scopes}
	n := float64(r.Scopes)
	if v := r.Value(profile.AllocObjects); v != nil {
		a.Objects, a.SelfObjects = float64(v.Sum)/n, float64(v.Self)/n
		for _, b := range v.Buckets {
			if b.K > 0 {
				a.Share += float64(b.Count) / n
			}
		}
	}
	if v := r.Value(profile.AllocBytes); v != nil {
		a.Bytes, a.SelfBytes = float64(v.Sum)/n, float64(v.Self)/n
	}
	a.judge(own)
	return a
}

func (a *Alloc) judge(own bool) {
	switch {
	case !own:
		a.Evidence = fmt.Sprintf("%s objects and %s bytes a call, allocated by the whole process meanwhile, as far as it had taken note; %s", number(a.Objects), number(a.Bytes), units.Plural(a.Scopes, "call"))
		a.Need = "a deep build (-deep)"
	case a.Objects > 0 || a.Bytes > 0:
		a.Verdict = Yes
		a.Evidence = fmt.Sprintf("%s objects and %s bytes a call, of these %s and %s by itself; %s", number(a.Objects), number(a.Bytes), number(a.SelfObjects), number(a.SelfBytes), units.Plural(a.Scopes, "call"))
		if a.Share > 0 {
			a.Evidence += fmt.Sprintf(", of which %s allocate", percent(a.Share))
		}
	case a.Scopes < steadyCalls:
		a.Evidence, a.Need = "nothing in "+units.Plural(a.Scopes, "call"), fmt.Sprintf("%d calls", steadyCalls)
	default: // by the rule of three
		a.Verdict = No
		a.Evidence = fmt.Sprintf("nothing in %s: with 95 %% confidence less than one call in %s allocates", units.Plural(a.Scopes, "call"), units.Count(a.Scopes/3))
	}
}

func (a *Alloc) label() []string {
	switch {
	case a.Verdict == No:
		return []string{"allocation-free"}
	case a.Verdict != Yes:
		return nil
	case a.Share > 0 && a.Share < minAllocShare:
		return []string{"allocates now and then"}
	case a.Objects > 0.995 && a.Objects < 1.005:
		return []string{"allocates 1 object"}
	}
	return []string{fmt.Sprintf("allocates %s objects", number(a.Objects))}
}
