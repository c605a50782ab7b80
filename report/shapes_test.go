package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

func TestShapes(t *testing.T) {
	p := &profile.Profile{App: "x", Runs: 1, State: "stopped", Complete: true, Markers: []profile.Marker{reporttest.Grown(12), {ID: 2, Name: "p.G", Kind: "func"}}}
	var text bytes.Buffer
	if err := report.Write(&text, p, report.Options{Shapes: true}); err != nil {
		t.Fatal(err)
	}
	_, shapes, _ := strings.Cut(text.String(), "\nshapes\n")
	shapes, _, _ = strings.Cut(shapes, "\n\n")
	want := `p.F: O(n), start-up cost
    growth   O(n), 49.9ns + 3ns · n ± 5 %; exponent 1.00 (0.99 to 1.02); from 12 sizes from 8 to 16,384, 1,200 calls
    start-up first call 5ms, later ones 818ns: 6,112 times as long; known of one run only`
	if shapes != want {
		t.Errorf("got\n%s\nwant\n%s", shapes, want)
	}

	p.Markers[0] = reporttest.Grown(3)
	text.Reset()
	if err := report.Write(&text, p, report.Options{Shapes: true}); err != nil {
		t.Fatal(err)
	}
	if want := "growth   300 calls of 3 sizes from 8 to 32; it would take inputs of sizes from 2 or less to 128 or more, which is a factor of 16; there is one of 4\n"; !strings.Contains(text.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	p.Markers[0].Sizes = nil
	text.Reset()
	if err := report.Write(&text, p, report.Options{Shapes: true}); err != nil {
		t.Fatal(err)
	}
	if want := "mark them with size=, or build with -sizes\n"; !strings.Contains(text.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
}

func TestShapesJSON(t *testing.T) {
	p := &profile.Profile{Markers: []profile.Marker{reporttest.Grown(12), {ID: 2, Name: "p.G", Kind: "func"}}}
	var out struct {
		Markers []struct {
			Shape *struct {
				Labels []string
				Growth *struct {
					Verdict, Order, Evidence string
					Exponent                 float64
				}
				Startup, Modes, Tail, Alloc *struct{ Verdict string }
			}
			First *struct {
				Count   int
				MeanNS  float64 `json:"mean_ns"`
				Buckets []any
			}
			Sizes []struct {
				TypicalNS float64 `json:"typical_ns"`
			}
		}
	}
	read := func(o report.Options) {
		var text bytes.Buffer
		if err := report.Write(&text, p, o); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text.Bytes(), &out); err != nil {
			t.Fatal(err)
		}
	}
	read(report.Options{Format: "json"})
	m := out.Markers[0]
	if m.Shape != nil || m.First == nil || m.First.Count != 1 || m.First.MeanNS != 5e6 || len(m.First.Buckets) != 1 || math.Abs(m.Sizes[11].TypicalNS/49202-1) > 0.005 {
		t.Errorf("%+v", m)
	}
	read(report.Options{Format: "json", Shapes: true})
	s := out.Markers[0].Shape
	if len(s.Labels) != 2 || s.Growth.Verdict != "yes" || s.Growth.Order != "O(n)" || s.Growth.Evidence == "" || math.Abs(s.Growth.Exponent-1) > 0.05 || s.Startup.Verdict != "yes" || s.Tail.Verdict != "undecided" || s.Alloc != nil {
		t.Errorf("%+v", s)
	}
	if s := out.Markers[1].Shape; s == nil || s.Labels == nil || s.Growth != nil {
		t.Errorf("never reached: %+v", s)
	}
	if err := (report.Options{Format: "bench", Shapes: true}).Check(); err == nil || !strings.Contains(err.Error(), "text, json and html") {
		t.Error(err)
	}
}
