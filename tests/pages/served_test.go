package pages_test

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/service/pages"
	"github.com/markgen/markgen/service/pages/pagestest"
	"github.com/markgen/markgen/service/server"
	"github.com/markgen/markgen/tests/browsertest"
)

// With the server and a store that needs a token, a user gets from the login page to the requested
// page, and can sign out; the login page has its style.
func TestServed(t *testing.T) {
	s := pagestest.NewShop(t)
	secret, token, err := server.NewToken("reader", []string{server.ScopeRead}, time.Now(), time.Time{})
	if err == nil {
		err = s.AddToken(context.Background(), token)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := pages.New(pages.Options{Store: s, Catalogue: s.Index, Now: func() time.Time { return pagestest.Now }, SignedIn: server.SignedIn})
	srv, err := server.New(s.Store, server.Options{
		Catalogue: s.Index, Pages: p, Assets: pages.Assets, Local: true,
		Login: func(w http.ResponseWriter, r *http.Request, status int, form server.Login) {
			p.Login(w, r, status, pages.Login(form))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	base := serve(t, srv)

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	answer, err := client.PostForm(base+"/login", url.Values{"token": {"mg_wrong"}, "next": {"/"}})
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || answer.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("a wrong token: %s, %v", answer.Status, answer.Header)
	}

	for _, width := range []int64{360, 1440} {
		tab, err := chromium(t).Open(base+"/api/0000000000001000", sized(width), browsertest.ColorScheme("dark"))
		if err != nil {
			t.Fatal(err)
		}
		shot(t, tab, "login-"+map[bool]string{true: "narrow", false: "wide"}[width < 500])
		if bad := eval[[]string](t, tab, contrast); len(bad) > 0 {
			t.Errorf("the form: %s", strings.Join(bad, "\n"))
		}
		if err := tab.Do(chromedp.SendKeys("#token", secret+kb.Enter), chromedp.WaitVisible(".facts")); err != nil {
			t.Fatal(err)
		}
		if title := eval[string](t, tab, `document.querySelector("h1").textContent`); !strings.Contains(title, "(*Buffer).Write") {
			t.Errorf("the form leads to %s", title)
		}
		if err := tab.Do(chromedp.Click("nav form button"), chromedp.WaitVisible("#token")); err != nil {
			t.Fatal(err)
		}
		for _, p := range problems(tab, base) {
			if !strings.Contains(p, "401") {
				t.Error(p)
			}
		}
		tab.Close()
	}
}
