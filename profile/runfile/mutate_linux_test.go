package runfile_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/tier"
)

// settings are the configurations of the runs whose files are changed.
var settings = []string{"", "callers", "collect=time+alloc", "collect=trace", "sample=1:2", "pairs", "demote=10:1", "only=worker.*"}

// ran runs testdata/worker and returns its data file.
func ran(t *testing.T, how, setting string) []byte {
	t.Helper()
	path, err := buildWorker()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "data")
	cmd := exec.Command(path, how)
	cmd.Env = append(os.Environ(), "MARKGEN="+strings.Trim("file="+name+","+setting, ","))
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "ready\n" {
		t.Fatalf("%s: %q, %v", setting, out, err)
	}
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// told returns what was read from a file, and the reported damage.
func told(t *testing.T, file []byte) (figures []byte, damage string) {
	t.Helper()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x")
	if err != nil {
		return nil, err.Error()
	}
	for _, w := range p.Warnings {
		if p.Damaged && strings.HasPrefix(w, "x: offset ") {
			damage = w
		}
	}
	p.Warnings, p.Damaged, p.Complete = nil, false, false
	if figures, err = codec.Encode(p); err != nil {
		t.Fatal(err)
	}
	return figures, damage
}

// If the file of an ended run is changed, either the profile is the same or damage is reported.
func TestMutated(t *testing.T) {
	n := 2000
	if tier.InCorpus() {
		n = 30_000
	}
	var files, figures [][]byte
	for _, setting := range settings {
		file := ran(t, "end", setting)
		sound, damage := told(t, file)
		if damage != "" || binary.LittleEndian.Uint64(file[layout.OffSums:]) == 0 {
			t.Fatalf("%s: not sound, or without checksums: %q", setting, damage)
		}
		files, figures = append(files, file), append(figures, sound)
	}
	named, same := 0, 0
	for seed := range n {
		k := seed % len(files)
		what, file := mutate(rand.New(rand.NewPCG(49, uint64(seed))), files[k])
		switch got, damage := told(t, file); {
		case damage != "":
			named++
		case bytes.Equal(got, figures[k]):
			same++
		default:
			t.Errorf("seed %d, %q, %s: the figures are others, and no damage is named", seed, settings[k], what)
		}
	}
	t.Logf("%d changed files: of %d damage is named, %d say the same", n, named, same)
	if named < n/2 {
		t.Errorf("damage of %d of %d files is named", named, n)
	}
}

// mutate changes a file at random, preferably at nonzero bytes, and returns a description of the
// change.
func mutate(rnd *rand.Rand, sound []byte) (what string, file []byte) {
	file = bytes.Clone(sound)
	place := func() int {
		at := rnd.IntN(len(file))
		for range 20 {
			if file[at] != 0 || rnd.IntN(10) == 0 {
				break
			}
			at = rnd.IntN(len(file))
		}
		return at
	}
	switch rnd.IntN(8) {
	case 0, 1:
		at, bit := place(), rnd.IntN(8)
		file[at] ^= 1 << bit
		what = fmt.Sprintf("bit %d of byte %d", bit, at)
	case 2:
		at := place()
		file[at] = byte(rnd.Uint32())
		what = fmt.Sprintf("byte %d", at)
	case 3, 4:
		at := place() &^ 7
		word := []uint64{0, 1, 2, 1 << 20, 1 << 40, 1 << 63, ^uint64(0), rnd.Uint64(), binary.LittleEndian.Uint64(file[at:]) + 1}[rnd.IntN(9)]
		binary.LittleEndian.PutUint64(file[at:], word)
		what = fmt.Sprintf("word %d is %#x", at, word)
	case 5:
		at := place()
		n := min(1+rnd.IntN(5000), len(file)-at)
		clear(file[at:][:n])
		what = fmt.Sprintf("%d zeros at %d", n, at)
	case 6:
		at, from := place()&^63, place()&^63
		n := min(64*(1+rnd.IntN(64)), len(file)-max(at, from))
		copy(file[at:][:n], sound[from:][:n])
		what = fmt.Sprintf("%d bytes of %d at %d", n, from, at)
	case 7:
		at := place()
		if rnd.IntN(2) == 0 {
			return fmt.Sprintf("cut off at %d", at), file[:at]
		}
		n := min(1+rnd.IntN(5000), len(file)-at)
		return fmt.Sprintf("%d bytes at %d left out", n, at), slices.Delete(file, at, at+n)
	}
	return what, file
}

// Scopes and counters that are active while the run ends do not invalidate checksums.
func TestEndedWhileBusy(t *testing.T) {
	n := 10
	if tier.InCorpus() {
		n = 500
	}
	for range n {
		file := ran(t, "leave", "")
		if _, damage := told(t, file); damage != "" || binary.LittleEndian.Uint64(file[layout.OffSums:]) == 0 {
			t.Fatalf("without checksums, or: %s", damage)
		}
	}
}

// A damaged block is reported and skipped, and the others are read.
func TestDamagedBlock(t *testing.T) {
	file := ran(t, "end", "")
	cell := profiletest.BlockAt(t, file, layout.BlockCell, 0)
	file[cell+layout.CellSelf]++
	p := profiletest.Load(t, file)
	want := fmt.Sprintf("demo.markgen: offset %d: a cell is damaged: its checksum is wrong; it is left out, the other blocks are used", cell)
	if !p.Damaged || p.Complete || !slices.Contains(p.Warnings, want) {
		t.Errorf("damaged %v, complete %v, %q", p.Damaged, p.Complete, p.Warnings)
	}
	if m := profiletest.Named(t, p, "worker.work:block#1"); m.Count != 1000 {
		t.Errorf("%s: %d scopes", m.Name, m.Count)
	}
	file = ran(t, "end", "")
	file[layout.OffScopeCost]++
	if p = profiletest.Load(t, file); !p.Damaged || !strings.Contains(strings.Join(p.Warnings, "\n"), "offset 0: the header is damaged") || profiletest.Named(t, p, "worker.work:block#1").Count != 1000 {
		t.Errorf("damaged %v, %q", p.Damaged, p.Warnings)
	}
}
