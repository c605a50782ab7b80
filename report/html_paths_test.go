package report_test

import (
	"encoding/json"
	"math/bits"
	"regexp"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// The tree in the page's data, of one profile and of two.
func TestPathsData(t *testing.T) {
	p, old := reporttest.WithPaths(t), reporttest.WithPaths(t)
	old.Paths.Nodes = old.Paths.Nodes[:5]
	old.Paths.Nodes[1].Label = "GET /gone"
	for file, o := range map[string]report.Options{
		"html-paths.json":          {Format: "html"},
		"html-paths-compared.json": {Format: "html", Against: old},
	} {
		var data struct {
			Paths json.RawMessage `json:"paths"`
		}
		if err := json.Unmarshal([]byte(unpacked(t, reporttest.Write(t, p, o))), &data); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, regexp.MustCompile(`,\n\s+(-?[0-9"])`).ReplaceAllString(string(data.Paths), ", $1")+"\n")
	}
}

// A page with 50,000 nodes stays small, also with their distributions.
func TestPathsSize(t *testing.T) {
	p := profiletest.Random(5000, 1)
	p.Paths = profiletest.CallTree(p, 50_000, 1)
	for i := range p.Paths.Nodes {
		n := &p.Paths.Nodes[i]
		k := uint8(bits.Len64(n.SumNS / n.Count))
		for d := range uint64(4) {
			n.Buckets = append(n.Buckets, profile.Bucket{K: k + uint8(d), Count: 1 + n.Count/(d+2), SumNS: (1 + n.Count/(d+2)) << (k + uint8(d)) * 5 / 4})
		}
	}
	if n := len(reporttest.Write(t, p, report.Options{Format: "html"})); n > 6<<20 {
		t.Errorf("a page with %d paths has %d bytes", len(p.Paths.Nodes), n)
	}
}
