package trace_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/runtime/layout"
)

// Cautions about a trace name its file; cautions about the clock need not.
func TestTraceCautions(t *testing.T) {
	run := profiletest.Traced(profiletest.Records{Room: 4, Records: points(1, 2, 3, 4, 5)})
	run.Clock, run.Hz = layout.ClockMono, 1e9
	file := run.File()
	binary.LittleEndian.PutUint64(file[layout.OffTraceLost:], 7)
	tr := readTrace(t, file)
	want := []string{
		"the processor's counter was not used, as its rate is not sure to be constant, or clock=mono asked for it; times are by the system's clock, in steps of 1 ns",
		"x: 9 trace records lost; give a larger buffer=, and room where the file could not grow, or let markgen run or exec write them down, with room enough in the folder for temporary files",
		"x: where 7 of them are missing is not known, so some scopes may be too long",
	}
	if got := tr.Cautions(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if p := profiletest.Load(t, file); !slices.ContainsFunc(p.Cautions(), func(text string) bool { return strings.HasPrefix(text, "9 trace records lost; ") }) {
		t.Errorf("%q", p.Cautions())
	}
}
