package report_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tests/browsertest"
	"github.com/markgen/markgen/tier"
)

var startBrowser = sync.OnceValues(func() (*browsertest.Browser, error) { return browsertest.Start(context.Background()) })
var browserStarted bool

func TestMain(m *testing.M) {
	code := m.Run()
	if browserStarted {
		if b, err := startBrowser(); err == nil {
			b.Close()
		}
	}
	os.Exit(code)
}

// A view is a page in the browser.
type view struct {
	*testing.T
	*browsertest.Tab
}

type action = chromedp.Action[chromedp.Void]

// open writes the page and opens it as a file. At the end of the test the page must have had no
// problems and made no requests.
func open(t *testing.T, p *profile.Profile, o report.Options, prepare ...action) *view {
	t.Helper()
	v := openAnyway(t, p, o, prepare...)
	v.wait(`performance.getEntriesByName("markgen:ready").length > 0`)
	t.Cleanup(func() {
		if problems := v.Problems(); len(problems) > 0 {
			t.Errorf("the page has problems:\n%s", strings.Join(problems, "\n"))
		}
	})
	return v
}

func openAnyway(t *testing.T, p *profile.Profile, o report.Options, prepare ...action) *view {
	t.Helper()
	tier.Test(t)
	browserStarted = true
	b, err := startBrowser()
	if err != nil {
		t.Fatal(err)
	}
	o.Format = "html"
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(reporttest.Write(t, p, o)), 0o666); err != nil {
		t.Fatal(err)
	}
	tab, err := b.Open("file://"+filepath.ToSlash(file), append([]action{window(1440, 900)}, prepare...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return &view{t, tab}
}

func window(width, height int64) action { return chromedp.EmulateViewport(width, height) }

func (v *view) do(actions ...action) {
	v.Helper()
	if err := v.Do(actions...); err != nil {
		v.Fatal(err)
	}
}

// wait waits until a script returns true.
func (v *view) wait(script string) {
	v.Helper()
	err := v.Do(func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = chromedp.Poll[bool](script)(ctx, t)
		return none, err
	})
	if err != nil {
		v.Fatalf("waiting for %s: %v\n%s", script, err, strings.Join(v.Problems(), "\n"))
	}
}

// eval returns the result of a script.
func eval[T any](v *view, script string) T {
	v.Helper()
	value, err := browsertest.Eval[T](v.Tab, script)
	if err != nil {
		v.Fatalf("%v in\n%s", err, script)
	}
	return value
}

// expect compares the result of a script.
func expect[T any](v *view, script string, want T) {
	v.Helper()
	if got := eval[T](v, script); !reflect.DeepEqual(got, want) {
		v.Errorf("%s\nis   %v\nwant %v", script, got, want)
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// names returns the names of the markers in the rows of the table.
func (v *view) names() []string {
	v.Helper()
	return eval[[]string](v, `[...document.querySelectorAll("#markers tbody th a")].map((a) => a.title)`)
}

// choose selects a value of a select element.
func (v *view) choose(id, value string) {
	v.Helper()
	expect(v, `(byID("`+id+`").value = `+quoted(value)+`, byID("`+id+`").dispatchEvent(new Event("change")), byID("`+id+`").value)`, value)
}

// click clicks on the only element that matches the selector.
func (v *view) click(selector string) {
	v.Helper()
	v.do(chromedp.Click(chromedp.CSS(selector)))
}

// openMarker opens the panel of the named marker.
func (v *view) openMarker(name string) {
	v.Helper()
	eval[bool](v, `[...document.querySelectorAll("#markers tbody a")].find((a) => a.title === `+quoted(name)+`).click() === undefined`)
	v.wait(`!document.querySelector("#detail").hidden && document.querySelector("#detail-name").textContent === ` + quoted(name))
}

// detail returns the text of a value in the panel, by its label.
func (v *view) detail(word string) string {
	v.Helper()
	return eval[string](v, `[...document.querySelectorAll(".figures tbody tr")].find((r) => r.cells[0].textContent === `+quoted(word)+`)?.innerText.replaceAll("\t", " ") ?? "none"`)
}
