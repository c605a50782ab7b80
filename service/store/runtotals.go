package store

import (
	"github.com/markgen/markgen/profile"
)

// Columns of runTotals.
const (
	totalBatches = iota
	totalRuns
	totalElapsed
	totalLost
	totalFlags
	totalSample
	totalWindows
	totalOpen
	totalNet
	totalOf
	totalWildRuns
	totalWildPicked
	totalWildOf
	totalWildLoaded
	totalWildFull
	totalWildNoPlace
	totalPathRuns
	totalPathLost
	totalPathLabels
)

// Flags of a row of runTotals.
const (
	runFlagNoSelf = 1 << iota
	runFlagUntimed
	runFlagDamaged
	runFlagIncomplete
	runFlagSampling // Sampling is not nil
	runFlagWild     // Wild is not nil
)

// runTotals returns the row of the table runTotals for a profile: the fields that are about runs,
// not about markers.
func (p *packer) runTotals(of *profile.Profile) []byte {
	runTotals.clear(&p.row)
	r := &p.row
	r[totalBatches], r[totalRuns], r[totalElapsed], r[totalLost] = 1, int64(max(of.Runs, 0)), toColumn(of.ElapsedNS), toColumn(of.Lost)
	for bit, is := range map[int64]bool{runFlagNoSelf: of.NoSelf, runFlagUntimed: of.Untimed, runFlagDamaged: of.Damaged, runFlagIncomplete: !of.Complete,
		runFlagSampling: of.Sampling != nil, runFlagWild: of.Wild != nil} {
		if is {
			r[totalFlags] |= bit
		}
	}
	if s := of.Sampling; s != nil {
		r[totalSample], r[totalWindows], r[totalOpen], r[totalNet], r[totalOf] = toColumn(s.N), toColumn(s.Windows), toColumn(s.OpenNS), toColumn(s.NetNS), toColumn(s.OfNS)
	}
	if w := of.Wild; w != nil {
		r[totalWildRuns], r[totalWildPicked], r[totalWildOf], r[totalWildLoaded], r[totalWildFull], r[totalWildNoPlace] = toColumn(w.Runs), toColumn(w.Picked), toColumn(w.Of), toColumn(w.Loaded), toColumn(w.Full), toColumn(w.NoPlace)
	}
	if t := of.Paths; t != nil {
		r[totalPathRuns], r[totalPathLost], r[totalPathLabels] = toColumn(t.Runs), toColumn(t.Lost), toColumn(t.Labels)
	}
	return runTotals.pack(nil, r)
}

// setRunTotals sets the fields of p that are about runs; Paths without nodes.
func setRunTotals(p *profile.Profile, r *[rowWidth]int64) {
	p.Runs = int(r[totalRuns])
	p.ElapsedNS, p.Lost = fromColumn(r[totalElapsed]), fromColumn(r[totalLost])
	p.NoSelf, p.Untimed, p.Damaged, p.Complete = r[totalFlags]&runFlagNoSelf != 0, r[totalFlags]&runFlagUntimed != 0, r[totalFlags]&runFlagDamaged != 0, r[totalFlags]&runFlagIncomplete == 0
	p.Paths = &profile.Paths{Runs: fromColumn(r[totalPathRuns]), Lost: fromColumn(r[totalPathLost]), Labels: fromColumn(r[totalPathLabels])}
	if r[totalFlags]&runFlagSampling != 0 {
		p.Sampling = &profile.Sampling{N: fromColumn(r[totalSample]), Windows: fromColumn(r[totalWindows]), OpenNS: fromColumn(r[totalOpen]), NetNS: fromColumn(r[totalNet]), OfNS: fromColumn(r[totalOf])}
	}
	if r[totalFlags]&runFlagWild != 0 {
		p.Wild = &profile.Wild{Runs: fromColumn(r[totalWildRuns]), Picked: fromColumn(r[totalWildPicked]), Of: fromColumn(r[totalWildOf]), Loaded: fromColumn(r[totalWildLoaded]), Full: fromColumn(r[totalWildFull]), NoPlace: fromColumn(r[totalWildNoPlace])}
	}
}
