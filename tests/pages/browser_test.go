package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/markgen/markgen/service/pages/pagestest"
	"github.com/markgen/markgen/tests/browsertest"
	"github.com/markgen/markgen/tier"
)

var (
	browserMu sync.Mutex
	browser   *browsertest.Browser
)

func TestMain(m *testing.M) {
	code := m.Run()
	if browser != nil {
		browser.Close()
	}
	os.Exit(code)
}

// chromium returns the browser that all tests share.
func chromium(t *testing.T) *browsertest.Browser {
	t.Helper()
	tier.Test(t)
	browserMu.Lock()
	defer browserMu.Unlock()
	if browser == nil {
		var err error
		if browser, err = browsertest.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return browser
}

// serve serves the handler and returns its URL.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// sized sets the window's width to a screen's.
func sized(width int64) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 500,
		})
		return err
	})
}

// problems returns the problems of a tab, except requests to the server itself.
func problems(tab *browsertest.Tab, server string) []string {
	return slices.DeleteFunc(tab.Problems(), func(text string) bool {
		return strings.HasPrefix(text, "asks for "+server+"/") || strings.HasPrefix(text, "asks for data:") // the icon in Chromium's own date field
	})
}

func eval[T any](t *testing.T, tab *browsertest.Tab, script string) T {
	t.Helper()
	v, err := browsertest.Eval[T](tab, script)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shot saves a screenshot of the whole page in the folder PAGES_SHOTS, for people to look at.
func shot(t *testing.T, tab *browsertest.Tab, name string) {
	t.Helper()
	dir := os.Getenv("PAGES_SHOTS")
	if dir == "" {
		return
	}
	png, err := browsertest.Value(tab, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

// Every page is fine on every screen: it is not wider than the screen, logs nothing to the console,
// loads nothing from elsewhere, and does not violate its policy.
func TestScreens(t *testing.T) {
	tier.Corpus(t)
	base := serve(t, pagestest.NewShop(t).Pages())
	for _, address := range append(pagestest.Addresses, "/nothing", "/package/example.com/hostile", "/package/example.com/shop/cart?sort=calls") {
		tab, err := chromium(t).Open(base + address)
		if err != nil {
			t.Fatalf("%s: %v", address, err)
		}
		for _, width := range []int64{360, 768, 1440} {
			for _, scheme := range []string{"light", "dark"} {
				name := fmt.Sprintf("%s at %d, %s", address, width, scheme)
				if err := tab.Do(sized(width), browsertest.ColorScheme(scheme)); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if wide := eval[int64](t, tab, `document.documentElement.scrollWidth`); wide > width {
					t.Errorf("%s: the page is %d wide; %s", name, wide, eval[string](t, tab, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 150)).join("\n")`))
				}
				shot(t, tab, strings.NewReplacer("/", "_", "?", "_", "&", "_", "=", "_").Replace(fmt.Sprintf("%.40s-%d-%s", address, width, scheme)))
			}
		}
		for _, p := range problems(tab, base) {
			if !strings.Contains(p, "404") {
				t.Errorf("%s: %s", address, p)
			}
		}
		tab.Close()
	}
}
