package profile

import "time"

// What follows is for those who keep figures elsewhere than in profiles, such as in the tables of a database, and
// make profiles of them again. All of it adds up, with sums that stay at the largest number.

// An Estimate is what is known of how far off the figures of a marker may be of which not all passages were
// recorded. Its zero value is that of a marker of which all were.
type Estimate struct {
	Seen     uint64  // passages that Samples stand for
	CountVar Uint128 // square of the standard error of Count, in 1024ths
	SumVar   Uint128 // square of that of the sum of the times, ns², in 1024ths
	Unsure   bool    // there were too few samples to tell; of a sum, in one of its parts
}

// Estimate is what CountSE and MeanSE follow from.
func (m *Marker) Estimate() Estimate { return Estimate{m.seen, m.countVar, m.sumVar, m.unsure} }

// SetEstimate gives the marker an estimate.
func (m *Marker) SetEstimate(e Estimate) {
	m.seen, m.countVar, m.sumVar, m.unsure = e.Seen, e.CountVar, e.SumVar, e.Unsure
}

// AsOf is the start of the run that gave the marker its name and place, the newest that had it, in ns since 1970;
// 0 where it is not known.
func (m *Marker) AsOf() int64 { return m.asOf }

// SetAsOf says of which run the marker has its name and place.
func (m *Marker) SetAsOf(ns int64) { m.asOf = ns }

// Newest is when the newest of a profile's runs started; 1970 where that is not known.
func (p *Profile) Newest() time.Time { return time.Unix(0, p.newest).UTC() }

// SetNewest says when the newest of a profile's runs started.
func (p *Profile) SetNewest(t time.Time) { p.newest = t.UnixNano() }

// PickSums are the sums that Picks estimates from, over the runs that picked a function, in 1024ths: of 1/p, p being
// the probability that it was picked, of passages/p, and of the variance of the latter.
type PickSums struct {
	Runs                    uint64
	Weight, Count, CountVar Uint128
}

// Sums are those of p.
func (p Picks) Sums() PickSums { return PickSums{p.Runs, p.weight, p.count, p.countVar} }

// Picks have the sums s.
func (s PickSums) Picks() Picks { return Picks{s.Runs, s.Weight, s.Count, s.CountVar} }

// OffReasons are what Off of a marker may be, in the order in which a sum prefers them: the last that one of its
// parts has is the sum's.
func OffReasons() []string { return append([]string(nil), reasons...) }
