package runfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/runtime/layout"
)

// header is the header page of a data file.
type header struct {
	page  []byte
	order byteOrder
}

func (h header) word(offset int) uint64 { return h.order.Uint64(h.page[offset:]) }

// text returns a NUL-padded string with invalid UTF-8 replaced.
func (h header) text(offset, size int) string {
	text, _, _ := bytes.Cut(h.page[offset:offset+size], []byte{0})
	return strings.ToValidUTF8(string(text), string(utf8.RuneError))
}

func (h header) ended() bool { return h.word(layout.OffState) == layout.StateStopped }

// partial reports whether the file could not grow.
func (h header) partial() bool { return h.word(layout.OffFlags)&layout.FlagPartial != 0 }

// readHeader reads the header page and sets the byte order of the file. Without a header the rest
// can't be read.
func (in *input) readHeader() (header, error) {
	start, err := in.bytes(0, min(in.size, 16))
	if err != nil {
		return header{}, err
	}
	if len(bytes.Trim(start, "\x00")) == 0 {
		return header{}, in.damaged(0, "no header; the file is empty, or the run has just begun: read it again")
	}
	if strings.HasPrefix(string(start), codec.Magic) {
		return header{}, in.damaged(0, "a profile, in which runs were added up; give the data file of a run")
	}
	if !strings.HasPrefix(string(start), layout.Magic) || len(start) < 16 {
		return header{}, in.damaged(0, "not a data file of a marked program; give one that was written with MARKGEN set")
	}
	little := binary.LittleEndian.Uint32(start[layout.OffVersion:])
	big := binary.BigEndian.Uint32(start[layout.OffVersion:])
	switch uint32(layout.Version) {
	case little:
		in.order = byteOrder{}
	case big:
		in.order = byteOrder{big: true}
	default:
		return header{}, in.damaged(layout.OffVersion, "data of version %d, and this markgen reads version %d; use the markgen that marked the program",
			min(little, big), layout.Version)
	}
	if n := in.order.Uint32(start[layout.OffHeaderSize:]); n != layout.HeaderSize {
		return header{}, in.damaged(layout.OffHeaderSize, "a header of %d bytes, where version %d has %d; the file can't be read", n, layout.Version, layout.HeaderSize)
	}
	page, err := in.bytes(0, layout.HeaderSize)
	if err != nil {
		return header{}, err
	}
	return header{bytes.Clone(page), in.order}, nil
}

// profile returns a profile with everything that the header says.
func (h header) profile() *profile.Profile {
	p := &profile.Profile{
		App:     h.text(layout.OffApp, layout.SizeApp),
		Runs:    1,
		Start:   time.Unix(0, int64(min(h.word(layout.OffStartWall), math.MaxInt64))).UTC(),
		GOOS:    h.text(layout.OffGOOS, layout.SizeGOOS),
		GOARCH:  h.text(layout.OffGOARCH, layout.SizeGOARCH),
		Go:      h.text(layout.OffGo, layout.SizeGo),
		CPU:     cpuName(h.text(layout.OffCPU, layout.SizeCPU)),
		Main:    h.text(layout.OffMain, layout.SizeMain),
		Version: h.text(layout.OffBuild, layout.SizeBuild),
		State:   stateName(h.word(layout.OffState)),
		NoSelf:  h.word(layout.OffFlags)&layout.FlagNoSelf != 0,
		Lost:    h.word(layout.OffLost),
		Trace:   &profile.Traced{Lost: h.word(layout.OffTraceLost)},
		Untimed: h.word(layout.OffFlags)&layout.FlagUntimed != 0,
		Clock: profile.Clock{
			Kind:      clockName(h.word(layout.OffClock)),
			Hz:        float64(h.word(layout.OffHz)),
			QuantumNS: float64(h.word(layout.OffQuantum)) / 1000,
			ReadNS:    float64(h.word(layout.OffRead)) / 1000,
			InsideNS:  float64(h.word(layout.OffScopeInside)) / 1000,
			WholeNS:   float64(h.word(layout.OffScopeCost)) / 1000,
		},
	}
	p.Run = fmt.Sprintf("%s.%d", p.Start.Format("20060102-150405"), h.word(layout.OffPID))
	p.Newest = p.Start.UnixNano()
	return p
}

// span returns the duration of the run by the monotonic clock, ns; 0 if it has not ended.
func (h header) span() uint64 {
	from, to := h.word(layout.OffStartMono), h.word(layout.OffEndMono)
	if !h.ended() || int64(to-from) <= 0 {
		return 0
	}
	return to - from
}

// refineSpan is the minimum duration of a run for computing the tick rate from its two ends; for
// shorter runs the millisecond of calibration at the start is more accurate.
const refineSpan = 10e6 // ns

// refine computes the tick rate from the two ends of a finished run, at which both clocks were
// read. The recorded times are not changed; trouble is a warning if the rate they were recorded
// with is off by more than a percent, else "".
func (h header) refine(c *profile.Clock) (trouble string) {
	ns := float64(h.span())
	ticks := float64(int64(h.word(layout.OffEndTick) - h.word(layout.OffStartTick)))
	if ns < refineSpan || ticks <= 0 || h.word(layout.OffClock) == layout.ClockMono {
		return ""
	}
	hz := math.Round(ticks / ns * 1e9)
	if off := hz/c.Hz - 1; math.Abs(off) > 0.01 {
		trouble = fmt.Sprintf("the clock ran at %.4g MHz over the whole run, and times were taken with %.4g MHz; they are off by %.2g %%",
			hz/1e6, c.Hz/1e6, 100*off)
	}
	c.Hz = hz
	return trouble
}

func stateName(state uint64) string {
	switch state {
	case layout.StateUnconfigured:
		return "unconfigured"
	case layout.StateConfigured:
		return "configured"
	case layout.StateProfiling:
		return "profiling"
	case layout.StatePaused:
		return "paused"
	case layout.StateStopped:
		return "stopped"
	}
	return fmt.Sprintf("state %d", state)
}

func clockName(kind uint64) string {
	switch kind {
	case layout.ClockTSC:
		return "tsc"
	case layout.ClockCNTVCT:
		return "cntvct"
	case layout.ClockMono:
		return "mono"
	}
	return fmt.Sprintf("clock %d", kind)
}
