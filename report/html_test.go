package report_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// unpacked returns the data of a page, as JSON with a line for each value.
func unpacked(t testing.TB, page string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, `<script id="data" type="application/gzip+base64">`)
	packed, _, ok2 := strings.Cut(rest, "</script>")
	if !ok || !ok2 {
		t.Fatal("no data in the page")
	}
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", " "); err != nil {
		t.Fatal(err)
	}
	// Lists of numbers are on one line, for readability.
	return regexp.MustCompile(`,\n\s+(-?[0-9"])`).ReplaceAllString(b.String(), ", $1")
}

func TestHTMLData(t *testing.T) {
	old := reporttest.Demo()
	old.Tables[0].Times[1] = old.Tables[0].Times[1][:2]
	old.Tables[0].Text = strings.Replace(old.Tables[0].Text, "00c0ffee00000005", "00c0ffee00000009", 1)
	collected := reporttest.Demo()
	collected.Values = []string{"io\tread_bytes", "cache\twaited_ns"}
	collected.Tables[0].Read = map[int]profiletest.Read{
		1: {Scopes: [][2]uint64{{3, 0}, {1, 2}}, Values: [][3]uint64{{1_230_000, 1_000_000, 230_000}, {45_600_000, 1_500, 0}}},
	}
	for _, tt := range []struct {
		file string
		p    *profile.Profile
		o    report.Options
	}{
		{"html.json", reporttest.Parse(t, reporttest.Demo()), report.Options{Sort: "total"}},
		{"html-source.json", reporttest.Parse(t, reporttest.Demo()), report.Options{Source: reporttest.Sources}},
		{"html-compared.json", reporttest.Parse(t, reporttest.Demo()), report.Options{Against: reporttest.Parse(t, old)}},
		{"html-collected.json", reporttest.Parse(t, collected), report.Options{}},
		{"html-callers.json", reporttest.Few(51), report.Options{}},
		{"html-nothing.json", &profile.Profile{}, report.Options{}},
	} {
		tt.o.Format = "html"
		golden.Check(t, tt.file, unpacked(t, reporttest.Write(t, tt.p, tt.o)))
	}
}

// The same input gives the same output.
func TestHTMLSame(t *testing.T) {
	o := report.Options{Format: "html", Source: reporttest.Sources, Against: reporttest.Parse(t, reporttest.Demo())}
	if a, b := reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), o), reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), o); a != b {
		t.Error("two pages of the same data differ")
	}
}

// The limit of 3 MB is for 20,000 markers without source.
func TestHTMLSize(t *testing.T) {
	if n := len(reporttest.Write(t, profiletest.Random(20_000, 1), report.Options{Format: "html"})); n > 3_000_000 {
		t.Errorf("20,000 markers make a page of %d bytes", n)
	}
}

// The page lists the hashes of its scripts, and forbids everything else to run or be loaded.
func TestHTMLPolicy(t *testing.T) {
	page := reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Format: "html"})
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no policy")
	}
	rules := strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(policy[1])
	for _, rule := range []string{"default-src 'none'; ", "base-uri 'none'; ", "form-action 'none'; ", "require-trusted-types-for 'script'"} {
		if !strings.Contains(rules, rule) {
			t.Errorf("the policy has no %s: %s", rule, rules)
		}
	}
	for _, loose := range []string{"unsafe", "http:", "https:", "*", "'self'"} {
		if strings.Contains(rules, loose) {
			t.Errorf("the policy has %s: %s", loose, rules)
		}
	}
	for _, part := range regexp.MustCompile(`(?s)<(script|style)>(.*?)</(?:script|style)>`).FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(part[2]))
		if hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; strings.Count(rules, hash) != 1 {
			t.Errorf("the policy does not have the hash of the %s that begins\n%.60s", part[1], part[2])
		}
	}
	if regexp.MustCompile(`(src|href)="(http|//)`).MatchString(page) || strings.Contains(page, "sourceMappingURL") {
		t.Error("the page refers to other files")
	}
}

// The scripts make no markup from text and do not execute text, and all of them are in the page.
func TestHTMLScripts(t *testing.T) {
	page := reporttest.Write(t, reporttest.Parse(t, reporttest.Demo()), report.Options{Format: "html"})
	err := filepath.WalkDir("assets", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".js" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, forbidden := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "</script", "<!--", "fetch(", "XMLHttpRequest", "import("} {
			if bytes.Contains(text, []byte(forbidden)) {
				t.Errorf("%s has %s", path, forbidden)
			}
		}
		text, _, _ = bytes.Cut(text, []byte("\n//# sourceMappingURL="))
		if strings.Count(page, "<script>"+string(text)+"</script>") != 1 {
			t.Errorf("%s is not in the page", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The chart library is the copy downloaded by scripts/chartjs.sh, with its licences.
func TestChartLibrary(t *testing.T) {
	dir := filepath.Join("assets", "chartjs")
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != sum {
			t.Errorf("%s is not the copy that was fetched: its sum is %s", name, got)
		}
		have = append(have, name)
	}
	if want := []string{"LICENSE-color.md", "LICENSE.md", "chart.umd.min.js"}; !slices.Equal(have, want) {
		t.Errorf("sums of %q, want %q", have, want)
	}
}

// No text in the data becomes markup in the page.
func TestHTMLHostile(t *testing.T) {
	p := reporttest.HostileProfile()
	page := reporttest.Write(t, p, report.Options{Format: "html", Against: reporttest.HostileProfile(), Source: func(string, string, bool) (report.Source, error) {
		return report.Source{Text: reporttest.Hostile}, nil
	}})
	if strings.Contains(page, "<img") || strings.Contains(page, "alert(2)</script>") {
		t.Error("the names got into the page as they are")
	}
}

// Each file with an executed marker is requested once; notes about files are shown.
func TestHTMLSource(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	for i := range p.Markers {
		switch m := &p.Markers[i]; m.Name {
		case "example.com/shop/cmd/shop.main":
			m.Count = 0
		case "example.com/shop/cart.round":
			m.Package, m.Name, m.File = "strconv", "strconv.Itoa", "strconv/itoa.go"
		case "example.com/shop/cart.round:block#1":
			m.Package, m.Name, m.File = "example.com/shop/strconv", "example.com/shop/strconv.Itoa", "strconv/itoa.go"
		}
	}
	var asked []string
	source := func(_, file string, std bool) (report.Source, error) {
		asked = append(asked, fmt.Sprint(file, " ", std))
		switch {
		case std:
			return report.Source{Text: "package strconv // Go's\n", Go: "go1.99", Changed: time.Now()}, nil
		case file == "strconv/itoa.go":
			return report.Source{Text: "package strconv // ours\n", Changed: p.Start.Add(-time.Hour)}, nil
		}
		return report.Source{Text: "package cart\n", Changed: p.Start.Add(time.Hour)}, nil
	}
	page := unpacked(t, reporttest.Write(t, p, report.Options{Format: "html", Source: source}))
	slices.Sort(asked)
	if want := []string{"cart/price.go false", "strconv/itoa.go false", "strconv/itoa.go true"}; !slices.Equal(asked, want) {
		t.Errorf("it asks for %q, want %q", asked, want)
	}
	for _, part := range []string{
		`"text": "package strconv // Go's\n", "note": "this is the file of go1.99, and the program was built with go1.26.0: lines may be off"`,
		`"text": "package strconv // ours\n", "note": ""`,
		`"text": "package cart\n", "note": "the file has changed since the run began: lines may be off"`,
	} {
		if !strings.Contains(regexp.MustCompile(`,\n\s+`).ReplaceAllString(page, ", "), part) {
			t.Errorf("the page does not say %s", part)
		}
	}
	large := strings.Repeat("x", 5<<20)
	page = unpacked(t, reporttest.Write(t, p, report.Options{Format: "html", Source: func(_, file string, std bool) (report.Source, error) {
		return report.Source{Text: large}, nil
	}}))
	if n := strings.Count(page, large); n != 1 || strings.Count(page, "left out: the files with markers that took more time are 8 MB already") != 2 {
		t.Errorf("of three files of 5 MB each %d are in the page", n)
	}
}

// Files with the same name in two modules are distinct.
func TestHTMLSourceOfModules(t *testing.T) {
	p := reporttest.Parse(t, reporttest.Demo())
	for i := range p.Markers {
		if m := &p.Markers[i]; m.Name == "example.com/shop/cart.round" {
			m.Package, m.Name = "example.org/shop/cart", "example.org/shop/cart.round"
		}
	}
	page := unpacked(t, reporttest.Write(t, p, report.Options{Format: "html", Source: func(pkg, file string, std bool) (report.Source, error) {
		return report.Source{Text: pkg + " has " + file}, nil
	}}))
	for _, want := range []string{"example.com/shop/cart has cart/price.go", "example.org/shop/cart has cart/price.go"} {
		if strings.Count(page, `"`+want+`"`) != 1 {
			t.Errorf("the page has not once %q", want)
		}
	}
}

// Formats that can compare two profiles do.
func TestAgainst(t *testing.T) {
	for _, f := range report.Formats() {
		err := report.Options{Format: f, Against: &profile.Profile{}}.Check()
		if (err == nil) != (f == "html") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
