package report_test

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
)

// Functions are identified by the names of their markers, and described by their source; a
// catalogue has the functions that others can call.
func TestAPIData(t *testing.T) {
	for _, tt := range []struct {
		file string
		o    report.Options
	}{
		{"html-api.json", report.Options{Source: reporttest.LibrarySource}},
		{"html-catalogue.json", report.Options{Source: reporttest.LibrarySource, API: true}},
		{"html-catalogue-sourceless.json", report.Options{API: true}},
	} {
		tt.o.Format = "html"
		_, text, ok := strings.Cut(unpacked(t, reporttest.Write(t, reporttest.Library(), tt.o)), ` "api": {`)
		if !ok {
			t.Fatal("no api in the page")
		}
		golden.Check(t, tt.file, ` "api": {`+text)
	}
}

// A catalogue only contains what it shows: no other markers and no source.
func TestCatalogueSize(t *testing.T) {
	page := reporttest.Write(t, reporttest.Library(), report.Options{Format: "html", API: true, Source: reporttest.LibrarySource})
	data := unpacked(t, page)
	for _, absent := range []string{"heap).up", "wire", "TestNew", "example.com/app", "return nil"} {
		if strings.Contains(data, absent) {
			t.Errorf("%q is in the catalogue", absent)
		}
	}
	if !strings.Contains(page, "<title>example.com: markgen report</title>") {
		t.Error("the title is not what the paths of the packages share")
	}
	page = reporttest.Write(t, reporttest.Few(51), report.Options{Format: "html", API: true, Source: reporttest.LibrarySource})
	if !strings.Contains(page, "<title>example.com/shop/part000: markgen report</title>") {
		t.Error("the title is not the package")
	}
	page = reporttest.Write(t, &profile.Profile{}, report.Options{Format: "html", API: true})
	if !strings.Contains(page, "no exported function of a package that can be imported has a marker in the data") {
		t.Error("an empty catalogue does not say so")
	}
	for _, f := range report.Formats() {
		if err := (report.Options{Format: f, API: true}).Check(); (err == nil) != (f == "html") {
			t.Errorf("%s: %v", f, err)
		}
	}
}
