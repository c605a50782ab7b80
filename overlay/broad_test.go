//go:build linux

package overlay_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/tier"
)

// broadSource is a program that calls each of so many functions again and again, in an order that differs from one time to
// the next, as programs do of which all parts are marked. Each calls another of a few ns.
func broadSource(functions int) string {
	var b strings.Builder
	b.WriteString(`package main

import (
	"os"
	"strconv"
)

var sink uint64

//go:noinline
func small(x uint64) uint64 { return x*x + sink }

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	for i := range n {
		round(uint64(i)*0x9e3779b97f4a7c15 | 1)
	}
}

func round(x uint64) {
	for range len(all) {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		all[x%uint64(len(all))](x)
	}
	for _, f := range all {
		f(x)
	}
}

var all = [...]func(uint64){
`)
	for i := range functions {
		fmt.Fprintf(&b, "\tf%d,\n", i)
	}
	b.WriteString("}\n")
	for i := range functions {
		fmt.Fprintf(&b, `
//go:noinline
func f%[1]d(x uint64) {
	if x%%%[2]d == 0 {
		x += small(x) + %[1]d
	}
	for x%%64 > %[3]d {
		x = x/2 + small(x)%%2
	}
	sink += x
}
`, i, 2+i%5, 40+i%20)
	}
	return b.String()
}

// TestWindowsOfManyMarkers: what runs marked in a window has not run since the one before, which takes a program of hundreds of markers
// longer than a window of 1:100 lasts in one of a few. Recording takes nine tenths of windows here, so counts
// may be far off, but they say so.
func TestWindowsOfManyMarkers(t *testing.T) {
	tier.Corpus(t)
	const functions, rounds = 400, 40_000
	dir := module(t, map[string]string{"main.go": broadSource(functions)})
	program := filepath.Join(dir, "broad")
	if text, err := markgenIn(t, dir, t.TempDir(), "build", "-all", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, rate := range []string{"1:20", "1:100"} {
		var ratios []float64
		good := 0
		for seed := range 3 {
			data := filepath.Join(dir, fmt.Sprint(rate[2:], "-", seed))
			cmd := exec.Command(program, fmt.Sprint(rounds))
			cmd.Env = append(os.Environ(), fmt.Sprintf("MARKGEN=file=%s,sample=%s,seed=%d", data, rate, 121+seed))
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			p, err := profile.ReadFile(data)
			if err != nil {
				t.Fatal(err)
			}
			var calls, unsure float64
			for _, m := range p.Markers {
				if strings.HasPrefix(m.Name, "example.com/m.f") && !strings.Contains(m.Name, ":") {
					calls += float64(m.Count)
					unsure += m.CountSE() // all for the same reason
				}
			}
			const all = 2 * functions * rounds
			ratios = append(ratios, calls/all, unsure/all)
			if calls > all/2 && calls < 2*all || math.Abs(calls-all) < 3*unsure {
				good++
			}
		}
		t.Logf("%s: calls are %.3g of what they should be, each with its standard error", rate, ratios)
		if good < 2 {
			t.Errorf("%s: calls are %.3g of what they should be, each with its standard error", rate, ratios)
		}
	}
}
