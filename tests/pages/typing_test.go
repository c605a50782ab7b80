package pages_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/markgen/markgen/service/pages/pagestest"
	"github.com/markgen/markgen/tests/browsertest"
)

// A slow handler delays search results until released, and records canceled requests.
type slow struct {
	http.Handler

	mu      sync.Mutex
	gates   map[string]chan struct{}
	asked   []string
	givenUp []string
}

func (s *slow) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := r.URL.Query().Get("q")
	s.mu.Lock()
	gate := s.gates[text]
	if r.URL.Path == "/search" {
		s.asked = append(s.asked, text)
	}
	s.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-r.Context().Done():
			s.mu.Lock()
			s.givenUp = append(s.givenUp, text)
			s.mu.Unlock()
			return
		}
	}
	s.Handler.ServeHTTP(w, r)
}

func (s *slow) gate(text string) (open func()) {
	gate := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates == nil {
		s.gates = map[string]chan struct{}{}
	}
	s.gates[text] = gate
	return sync.OnceFunc(func() { close(gate) })
}

func (s *slow) seen(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.asked {
		if t == text {
			return true
		}
	}
	return false
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it does not come to this: %s", what)
}

func press(t *testing.T, tab *browsertest.Tab, keys string) {
	t.Helper()
	if err := tab.Do(chromedp.KeyEvent(keys)); err != nil {
		t.Fatal(err)
	}
}

// focused returns the text or name of the focused element.
func focused(t *testing.T, tab *browsertest.Tab) string {
	t.Helper()
	return eval[string](t, tab, `(() => { const e = document.activeElement; return (e.id || e.name || e.textContent.trim() || e.tagName).slice(0, 60); })()`)
}

func found(t *testing.T, tab *browsertest.Tab) string {
	t.Helper()
	return eval[string](t, tab, `document.querySelector("#results")?.textContent.replace(/\s+/g, " ").trim() ?? ""`)
}

// Results appear during typing, and only those for the latest text are shown, whatever the order of
// answers.
func TestTyping(t *testing.T) {
	s := &slow{Handler: pagestest.NewShop(t).Pages()}
	base := serve(t, s)
	for _, address := range []string{"/", "/search"} {
		t.Run(address, func(t *testing.T) {
			tab, err := chromium(t).Open(base + address)
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			// Keys may come so slowly that a part of the text is asked for, too.
			const text = "cart add"
			var opens []func()
			for n := 1; n < len(text); n++ {
				opens = append(opens, s.gate(text[:n]))
			}
			first := func() {
				for _, open := range opens {
					open()
				}
			}
			second := s.gate(text)
			defer first()
			defer second()
			eval[bool](t, tab, `document.getElementById("q").focus() === undefined`)
			before := found(t, tab)
			press(t, tab, "cart")
			until(t, "the first text is asked for", func() bool { return s.seen("cart") })
			press(t, tab, " add")
			until(t, "the second text is asked for", func() bool { return s.seen("cart add") })
			if got := found(t, tab); got != before {
				t.Errorf("before an answer came there is %.200s", got)
			}
			second()
			until(t, "the second answer is shown", func() bool { return strings.Contains(found(t, tab), "One API for cart add") })
			first()
			time.Sleep(300 * time.Millisecond)
			if got := found(t, tab); !strings.Contains(got, "(*Cart).Add") || strings.Contains(got, "Total") {
				t.Errorf("the slow answer replaced the other: %.200s", got)
			}
			until(t, "the first was given up", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return len(s.givenUp) > 0
			})
			if heard := eval[string](t, tab, `document.getElementById("heard").textContent`); !strings.Contains(heard, "One API") {
				t.Errorf("a screen reader says %q", heard)
			}
			if address == "/search" {
				if at := eval[string](t, tab, `location.search`); at != "?q=cart+add" {
					t.Errorf("the address has %q", at)
				}
			}

			// The keyboard moves through the results.
			for range len(" add") {
				press(t, tab, kb.Backspace)
			}
			press(t, tab, "xx")
			press(t, tab, kb.Backspace)
			press(t, tab, kb.Backspace)
			eval[bool](t, tab, `document.getElementById("q").select() === undefined`)
			press(t, tab, "buffer")
			until(t, "buffers are found", func() bool { return strings.Contains(found(t, tab), "for buffer") })
			for _, step := range []struct{ key, at string }{
				{kb.ArrowDown, "bytes.(*Buffer).Write"}, {kb.ArrowDown, "bytes.(*Buffer).Write"}, {kb.ArrowDown, "bytes.(*Buffer).Write"},
				{kb.Home, "bytes.(*Buffer).Write"}, {kb.ArrowUp, "q"}, {kb.ArrowDown, "bytes.(*Buffer)"}, {kb.End, "bytes.(*Buffer)"}, {kb.Escape, "q"},
			} {
				press(t, tab, step.key)
				if at := focused(t, tab); !strings.HasPrefix(at, step.at) {
					t.Errorf("after %q the focus is at %q, not at %q", step.key, at, step.at)
				}
			}
			press(t, tab, kb.Escape)
			if text := eval[string](t, tab, `document.getElementById("q").value`); text != "" {
				t.Errorf("Escape leaves %q", text)
			}
			for _, p := range problems(tab, base) {
				t.Error(p)
			}
		})
	}
}

// A failed search says so, and can be repeated.
func TestTypingFails(t *testing.T) {
	broken := true
	shop := pagestest.NewShop(t).Pages()
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/search" && broken {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, "<!doctype html><title>x</title><h1>The store can't be reached</h1>")
			return
		}
		shop.ServeHTTP(w, r)
	}))
	tab, err := chromium(t).Open(base + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	eval[bool](t, tab, `document.getElementById("q").focus() === undefined`)
	press(t, tab, "cart")
	until(t, "the problem is shown", func() bool { return strings.Contains(found(t, tab), "The store can't be reached") })
	broken = false
	press(t, tab, " ")
	press(t, tab, "t")
	until(t, "it works again", func() bool { return strings.Contains(found(t, tab), "for cart t") })
}

// Without scripts everything works by forms and links.
func TestWithoutScript(t *testing.T) {
	base := serve(t, pagestest.NewShop(t).Pages())
	none := chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
	tab, err := chromium(t).Open(base+"/", none)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	if err := tab.Do(
		chromedp.SendKeys("#q", "buf write"+kb.Enter),
		chromedp.WaitVisible(".results a"),
		chromedp.Click(".results a"),
		chromedp.WaitVisible(".facts"),
		chromedp.SendKeys("#f-cpu", "Neo*"),
		chromedp.Click(".filter button"),
		chromedp.WaitVisible(".chosen"),
	); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{".chosen": "Neo*", "h1": "(*Buffer).Write"} {
		got, err := browsertest.Value(tab, chromedp.Text(what))
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s says %q, %v; not %q", what, got, err, want)
		}
	}
}
