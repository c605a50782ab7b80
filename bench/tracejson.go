package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"
)

// traceJSONRecords is the number of records that markgen report -format trace reads.
const traceJSONRecords = 20_000_000

// traceJSON measures how fast markgen report writes a trace as JSON, on one processor, into a file
// that is synced to disk, and its memory for a long trace relative to a short one. The quickest
// round counts, since other load can only make a round slower.
func (b *bench) traceJSON(ctx context.Context) error {
	peaks := map[int]float64{}
	var seconds, cpu []float64
	size := int64(0)
	data, out := filepath.Join(b.work, "tracejson.markgen"), filepath.Join(b.work, "trace.json")
	for _, n := range []int{traceJSONRecords / 100, traceJSONRecords} {
		if err := writeTrace(data, n); err != nil {
			return err
		}
		rounds := 1
		if n == traceJSONRecords {
			rounds = b.roundsOr(5)
		}
		for range rounds {
			p, err := runProcess(ctx, b.work, []string{"GOMAXPROCS=1"}, b.markgen, "report", "-format", "trace", "-o", out, data)
			if err != nil {
				return err
			}
			peaks[n] = max(peaks[n], p.peak)
			if n < traceJSONRecords {
				continue
			}
			seconds, cpu = append(seconds, p.wall), append(cpu, p.cpu)
			err = b.results.add("tracejson/tracejson.txt", "TraceJSON", 1, append(p.values(), benchfmt.Value{Value: float64(n) / p.wall, Unit: "records/s"})...)
			if err != nil {
				return err
			}
		}
		info, err := os.Stat(out)
		if err != nil {
			return err
		}
		size = info.Size()
		if err := checkTraceJSON(out, n); err != nil {
			return err
		}
	}
	if err := os.Remove(data); err != nil {
		return err
	}
	const millions = traceJSONRecords / 1e6
	b.record("million records a second, one processor", atLeast(5).in("M/s"), millions/fewest(seconds), "wall seconds: "+list(seconds, "%.2f"))
	b.record("the same, of processor time", bar{unit: "M/s"}, millions/fewest(cpu), "seconds: "+list(cpu, "%.2f"))
	b.record("bytes of JSON a record", bar{}, float64(size)/traceJSONRecords, "")
	b.record("peak memory", bar{unit: "MiB"}, peaks[traceJSONRecords]/(1<<20), fmt.Sprintf("a hundredth of the records: %.1f", peaks[traceJSONRecords/100]/(1<<20)))
	return os.Remove(out)
}

// checkTraceJSON counts the events of a trace file, a JSON object with one event per line.
func checkTraceJSON(name string, records int) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	depth, counts, key := 0, map[string]int{}, ""
	for d.More() || depth > 0 {
		t, err := d.Token()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch t := t.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
			key = ""
		case string:
			if key == "ph" {
				counts[t]++
			}
			key = t
		default:
			key = ""
		}
	}
	if want := records / traceStep; counts["B"] != 2*want || counts["E"] != 2*want || counts["i"] != want {
		return fmt.Errorf("%s: %d records became %v", name, records, counts)
	}
	return nil
}
