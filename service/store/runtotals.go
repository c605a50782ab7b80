package store

import (
	"github.com/markgen/markgen/profile"
)

// Flags of a row of heads.
const (
	headNoSelf = 1 << iota
	headUntimed
	headDamaged
	headIncomplete
	headSampling // Sampling is not nil
	headWild     // Wild is not nil
)

// head returns the row of heads for a profile: the fields that are about runs, not about markers.
func (p *packer) head(of *profile.Profile) []byte {
	heads.clear(&p.row)
	r := &p.row
	r[0], r[1], r[2], r[3] = 1, int64(max(of.Runs, 0)), toColumn(of.ElapsedNS), toColumn(of.Lost)
	for bit, is := range map[int64]bool{headNoSelf: of.NoSelf, headUntimed: of.Untimed, headDamaged: of.Damaged, headIncomplete: !of.Complete,
		headSampling: of.Sampling != nil, headWild: of.Wild != nil} {
		if is {
			r[4] |= bit
		}
	}
	if s := of.Sampling; s != nil {
		r[5], r[6], r[7], r[8], r[9] = toColumn(s.N), toColumn(s.Windows), toColumn(s.OpenNS), toColumn(s.NetNS), toColumn(s.OfNS)
	}
	if w := of.Wild; w != nil {
		r[10], r[11], r[12], r[13], r[14], r[15] = toColumn(w.Runs), toColumn(w.Picked), toColumn(w.Of), toColumn(w.Loaded), toColumn(w.Full), toColumn(w.NoPlace)
	}
	return heads.pack(nil, r)
}

// fromHead sets the fields of p that are about runs.
func fromHead(p *profile.Profile, r *[rowWidth]int64) {
	p.Runs = int(r[1])
	p.ElapsedNS, p.Lost = fromColumn(r[2]), fromColumn(r[3])
	p.NoSelf, p.Untimed, p.Damaged, p.Complete = r[4]&headNoSelf != 0, r[4]&headUntimed != 0, r[4]&headDamaged != 0, r[4]&headIncomplete == 0
	if r[4]&headSampling != 0 {
		p.Sampling = &profile.Sampling{N: fromColumn(r[5]), Windows: fromColumn(r[6]), OpenNS: fromColumn(r[7]), NetNS: fromColumn(r[8]), OfNS: fromColumn(r[9])}
	}
	if r[4]&headWild != 0 {
		p.Wild = &profile.Wild{Runs: fromColumn(r[10]), Picked: fromColumn(r[11]), Of: fromColumn(r[12]), Loaded: fromColumn(r[13]), Full: fromColumn(r[14]), NoPlace: fromColumn(r[15])}
	}
}
