package overlay_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/compare"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/tier"
)

// Whatever a data file contains, it can be read or is rejected, and its data can be kept, merged,
// compared and reported in every format.
func TestAnyWords(t *testing.T) {
	tier.Test(t)
	source, err := os.ReadFile("testdata/words/main.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := module(t, map[string]string{"main.go": string(source)})
	if text, err := markgenIn(t, dir, t.TempDir(), "build", "-all", "-sizes", "-o", "words", ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	times := 400
	if !tier.InCorpus() {
		times = 24
	}
	for i, keys := range []string{
		"collect=time", "collect=time+alloc+io,callers,pairs", "collect=time+trace,buffer=4K", "sample=1:10,countdown",
		"sample=1:2", "sample=1:5,callers,collect=time+alloc", "sample=1:3,adapt,every=20ms:15ms",
		"sample=1:2,enough=10,throttle=100:1000,pause=after:10ms,resume=after:50ms",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			data := filepath.Join(dir, fmt.Sprint("data", i))
			trapMust(t, dir, []string{"MARKGEN=file=" + data + "," + keys}, filepath.Join(dir, "words"))
			file, err := os.ReadFile(data)
			if err != nil {
				t.Fatal(err)
			}
			file = file[:binary.LittleEndian.Uint64(file[layout.OffUsed:])]
			sound, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "data")
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for n := range times {
				changed, what := changeWords(r, file)
				if err := usable(changed, sound, n%10 == 0); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

// changeWords changes up to three words of a data file, and describes the changes. Blocks of all
// kinds are equally likely.
func changeWords(r *rand.Rand, file []byte) (changed []byte, what string) {
	blocks := map[uint32][]int{}
	size := func(at int) int { return int(binary.LittleEndian.Uint64(file[at+layout.OffBlockSize:])) }
	for at := layout.HeaderSize; at < len(file); at += size(at) {
		kind := binary.LittleEndian.Uint32(file[at:])
		blocks[kind] = append(blocks[kind], at)
	}
	kinds := slices.Sorted(maps.Keys(blocks))
	changed = bytes.Clone(file)
	for range 1 + r.IntN(3) {
		var at int
		switch r.IntN(4) {
		case 0:
			at = layout.OffState + r.IntN(layout.OffApp-layout.OffState)
			what += fmt.Sprintf("word %d of the header", at&^7)
		case 1:
			at = layout.OffSampleN + r.IntN(layout.OffCPU-layout.OffSampleN)
			what += fmt.Sprintf("word %d of the header", at&^7)
		default:
			kind := kinds[r.IntN(len(kinds))]
			block := blocks[kind][r.IntN(len(blocks[kind]))]
			most := min(size(block), 64+r.IntN(size(block))) // the first words are more likely
			at = block + layout.OffBlockSize + r.IntN(most-layout.OffBlockSize)
			what += fmt.Sprintf("word %d of a block of kind %d", (at-block)&^7, kind)
		}
		word := changed[at&^7:]
		old := binary.LittleEndian.Uint64(word)
		values := []uint64{
			0, 1, 2, 1<<63 - 1, 1 << 63, math.MaxUint64, old + 1, old - 1, old * 2, old / 2, old << 32, old ^ 1<<r.IntN(64), r.Uint64(), r.Uint64() >> r.IntN(64),
			math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)), math.Float64bits(1e300), math.Float64bits(1e-300), math.Float64bits(-1),
		}
		v := values[r.IntN(len(values))]
		binary.LittleEndian.PutUint64(word, v)
		what += fmt.Sprintf(" is %#x and was %#x, ", v, old)
	}
	return changed, strings.TrimSuffix(what, ", ")
}

// usable returns an error if a data file cannot be processed; a rejected file is no error, since it
// may no longer be a valid one. all says that it is also reported in all formats and compared with
// an intact one.
func usable(file []byte, sound *profile.Profile, all bool) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	p, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "data")
	if err != nil {
		return nil
	}
	later, _ := profile.Sub(p, sound)
	earlier, _ := profile.Sub(sound, p)
	for what, p := range map[string]*profile.Profile{"it": p, "the sum": profile.Merge([]*profile.Profile{p, sound}), "what was added": later, "what was taken off": earlier} {
		same := p != later && p != earlier // a difference does not record its operands
		if err := keeps(p, same); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if !all {
			continue
		}
		for _, format := range report.Formats() {
			o := report.Options{Format: format, Hist: format == "text", Shapes: format == "text" || format == "json"}
			if format == "trace" || format == "folded" && p.Paths == nil { // the one is for records, the other for paths
				continue
			}
			if err := report.Write(io.Discard, p, o); err != nil {
				return fmt.Errorf("%s as %s: %w", what, format, err)
			}
		}
		if err := compares(p, sound); err != nil {
			return fmt.Errorf("%s against a sound one: %w", what, err)
		}
	}
	return nil
}

// keeps returns an error unless the profile can be written, and reads back as the same profile if
// same is true.
func keeps(p *profile.Profile, same bool) error {
	kept, err := codec.Encode(p)
	if err != nil {
		return err
	}
	again, err := runfile.ReadFrom(bytes.NewReader(kept), int64(len(kept)), "kept")
	if err != nil {
		return err
	}
	if diff := cmp.Diff(p, again, cmp.AllowUnexported(profile.Profile{}, profile.Marker{}, profile.Picks{}), cmpopts.EquateEmpty()); diff != "" && same {
		return fmt.Errorf("kept and read again it is another (-was +is):\n%s", diff)
	}
	return nil
}

// compares returns an error unless a profile can be compared with another, and the result written.
func compares(p, other *profile.Profile) error {
	for _, metric := range compare.Metrics() {
		c, err := compare.NewComparison(compare.Options{Metric: metric})
		if err != nil {
			return err
		}
		for range 3 {
			if c.Add(compare.Old, other) != nil || c.Add(compare.New, p) != nil {
				break // without self times, that format is an error
			}
		}
		result := c.Result()
		for _, d := range []report.Diff{{All: true}, {Format: "json"}} {
			if err := d.Write(io.Discard, result); err != nil {
				return err
			}
		}
	}
	return nil
}
