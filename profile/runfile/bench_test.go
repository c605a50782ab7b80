package runfile_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

// runOf returns a run file with n markers called on two processors; seed determines the times.
func runOf(n int, seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var text strings.Builder
	text.WriteString("p\texample.com/shop\n")
	for i := range 10 {
		fmt.Fprintf(&text, "f\tstore%d.go\n", i)
	}
	times := map[int][]uint64{}
	for i := range n {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t%d\t%d\t1\t%d\t-\t-\t1\texample.com/shop.(*Store).Item%05d\n", i+1, i%10, i+10, i, i)
		typical := math.Exp(3 + 9*float64(i)/float64(n))
		for range 40 {
			times[i] = append(times[i], uint64(typical*math.Exp(0.5*r.NormFloat64())))
		}
	}
	run := profiletest.Run{
		App: "shop", PID: seed, StartWall: 1772366400e9 + seed*1e9, Span: 90e9,
		Tables: []profiletest.Table{{Text: text.String(), Times: times}},
	}
	return run.File()
}

func BenchmarkMerge(b *testing.B) {
	const files, markers = 100, 1000
	b.Run("runs", func(b *testing.B) {
		benchmarkMerge(b, files, markers, func(i int) []byte { return runOf(markers, uint64(i)) })
	})
	b.Run("profiles", func(b *testing.B) {
		benchmarkMerge(b, files, markers, func(i int) []byte {
			file, err := codec.Encode(profiletest.Load(b, runOf(markers, uint64(i))))
			if err != nil {
				b.Fatal(err)
			}
			return file
		})
	})
}

func benchmarkMerge(b *testing.B, files, markers int, file func(int) []byte) {
	dir := b.TempDir()
	for i := range files {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), file(i), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		var sum runfile.Sum
		for i := range files {
			if err := sum.AddFile(filepath.Join(dir, fmt.Sprint(i))); err != nil {
				b.Fatal(err)
			}
		}
		if p := sum.Profile(); p.Runs != files || len(p.Markers) != markers {
			b.Fatal(p.Runs, len(p.Markers))
		}
	}
	b.ReportMetric(float64(files*markers)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkReadRun(b *testing.B) {
	file := runOf(1000, 1)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := runfile.ReadFrom(bytes.NewReader(file), int64(len(file)), "x"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRead reads a file of 100,000 markers, each with a cell of its own.
func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("p\tp\nf\tf.go\n")
	times := map[int][]uint64{}
	for i := range 100_000 {
		fmt.Fprintf(&text, "m\t%016x\tfunc\t0\t%d\t1\t%d\t-\t-\t1\texample.com/large/internal/p%d.Function%d\n", i+1, i, i, i/50, i)
		times[i] = []uint64{uint64(i)}
	}
	file := profiletest.Run{Tables: []profiletest.Table{{Text: text.String(), Times: times}}}.File()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if p := profiletest.Load(b, file); len(p.Markers) != len(times) {
			b.Fatal(p.Warnings)
		}
	}
}
