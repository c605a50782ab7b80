package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile/profiletest"
)

// benchRun returns the data file of a run in which scopes of parse take ns, and those of a loop in
// it a constant time.
func benchRun(run int, ns uint64) []byte {
	return profiletest.Run{
		App: "demo", PID: uint64(run), StartWall: 1763711763_000000000 + uint64(run)*1e9, Span: 2_500_000_000,
		Tables: []profiletest.Table{{
			Text: "p\texample.com/demo\nf\tdemo.go\n" +
				"m\t00000000000000a1\tfunc\t0\t12\t1\t0\t-\t-\t1\texample.com/demo.(*Parser).parse\n" +
				"m\t00000000000000a2\tloop\t0\t14\t2\t0\t-\t-\t1\texample.com/demo.(*Parser).parse:for#1\n" +
				"m\t00000000000000a3\tfunc\t0\t20\t1\t2\t-\t-\t1\texample.com/demo.never\n",
			Times: map[int][]uint64{0: {ns, ns + 10, ns - 10}, 1: {50, 50, 50, 50}},
		}},
	}.File()
}

// equal matches benchstat's warning that all runs are equal.
var equal = regexp.MustCompile(`(?m)^F\d+: all samples are equal$`)

// benchstat reads the runs as samples: the table has their medians, and it finds the change.
func TestBenchstat(t *testing.T) {
	dir := t.TempDir()
	for side, median := range map[string]int{"old": 1000, "new": 1250} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o777); err != nil {
			t.Fatal(err)
		}
		for run := range 11 {
			name := filepath.Join(dir, side, fmt.Sprintf("%02d.markgen", run))
			if err := os.WriteFile(name, benchRun(run+median, uint64(median+4*(run-5))), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := markgenReport(dir, "-format", "bench", "-o", side+".txt", side); got != "exit code 0\n-- stderr\n-- stdout\n" {
			t.Fatal(got)
		}
		text, err := os.ReadFile(filepath.Join(dir, side+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := markgenReport(dir, "-format", "bench", side), "exit code 0\n-- stderr\n-- stdout\n"+string(text); got != want {
			t.Errorf("on standard output:\n%s\nin the file:\n%s", got, want)
		}
	}
	benchstat := filepath.Join(dir, "benchstat.exe")
	build := exec.Command("go", "build", "-C", "../../tools", "-o", benchstat, "golang.org/x/perf/cmd/benchstat")
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(benchstat, "-format", "csv", "old.txt", "new.txt")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || strings.Trim(equal.ReplaceAllString(stderr.String(), ""), "\n") != "" {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	// Tables by unit: a row with the unit, then the medians of old and new.
	medians := map[string][2]float64{}
	rows := csv.NewReader(bytes.NewReader(out))
	rows.FieldsPerRecord = -1
	all, err := rows.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	unit, tables := "", 0
	for _, row := range all {
		switch {
		case len(row) > 1 && row[0] == "" && strings.HasSuffix(row[1], ".txt"):
			tables++
		case len(row) > 1 && row[0] == "":
			unit = row[1]
		case len(row) > 3 && row[0] != "geomean":
			before, err := strconv.ParseFloat(row[1], 64)
			after, err2 := strconv.ParseFloat(row[3], 64)
			if err != nil || err2 != nil {
				t.Fatalf("%q: %v, %v", row, err, err2)
			}
			medians[row[0]+" "+unit] = [2]float64{before, after}
			if unit == "sec/op" && (row[5] == "~") != strings.HasSuffix(row[0], "for#1") {
				t.Errorf("%q", row)
			}
		}
	}
	for row, want := range map[string][2]float64{
		"Func/(*Parser).parse sec/op":            {1000e-9, 1250e-9},
		"Func/(*Parser).parse self-sec/op":       {750e-9, 938e-9},
		"Func/(*Parser).parse total-sec":         {3000e-9, 3750e-9},
		"Func/(*Parser).parse scopes":            {3, 3},
		"Loop/(*Parser).parse:for#1 sec/op":      {50e-9, 50e-9},
		"Loop/(*Parser).parse:for#1 p99-sec":     {50e-9, 50e-9},
		"Loop/(*Parser).parse:for#1 self-sec/op": {38e-9, 38e-9},
		"Loop/(*Parser).parse:for#1 scopes":      {4, 4},
	} {
		for i, w := range want {
			if got, ok := medians[row]; !ok || math.Abs(got[i]-w) > 0.005*w {
				t.Errorf("%s: %v, want %v", row, got, want)
			}
		}
	}
	if units := 7; tables != units {
		t.Errorf("%d tables for %d units: what differs from run to run makes tables of its own\n%s", tables, units, out)
	}
	if strings.Contains(string(out), "never") {
		t.Error("a marker that was never reached is there")
	}
}

// A run that cannot be read is skipped and reported; warnings name their run.
func TestReportRuns(t *testing.T) {
	dir := reportFolder(t)
	got := markgenReport(dir, "-format", "bench", "missing.markgen", "one.markgen", "killed.markgen", "damaged.markgen")
	if !strings.HasPrefix(got, "exit code 1\n") || strings.Count(got, "\nBenchmarkFunc/main 1 ") != 2 {
		t.Error(got)
	}
	stderr, stdout, _ := strings.Cut(got, "-- stdout\n")
	for _, part := range []string{"missing.markgen: there is no such file", "warning: killed.markgen: process 4720 was not seen to end", "warning: damaged.markgen: "} {
		if !strings.Contains(stderr, part) {
			t.Errorf("%q is not in\n%s", part, stderr)
		}
	}
	for _, part := range []string{"# warning:  killed.markgen: process 4720 was not seen to end", "# warning:  damaged.markgen: "} {
		if !strings.Contains(stdout, part) {
			t.Errorf("%q is not in\n%s", part, stdout)
		}
	}
	// Nothing is written if there are no data.
	if got := markgenReport(dir, "-format", "bench", "-o", "none.txt", "missing.markgen"); !strings.HasPrefix(got, "exit code 1\n") {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join(dir, "none.txt")); err == nil {
		t.Error("a file of nothing is written")
	}
}
