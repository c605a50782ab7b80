// Package browsertest opens pages in a headless Chromium, for tests and benchmarks of the html
// report. scripts/need.sh chromium:chromium installs the browser.
//
//	b, err := browsertest.Start(ctx)
//	defer b.Close()
//	tab, err := b.Open("file:///tmp/report.html")
//	title, err := browsertest.Eval[string](tab, `document.title`)
//	problems := tab.Problems() // console messages and network requests of the page
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// A Browser is a running Chromium with its own profile.
type Browser struct {
	ctx  context.Context
	stop func()
}

// Start starts Chromium, which ends with Close or ctx. It returns an error if Chromium is not
// installed or does not run.
func Start(ctx context.Context) (*Browser, error) {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.WindowSize(1440, 900),
		chromedp.DisableGPU,
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // otherwise Chromium does not run as root
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(ctx, options...)
	browser, stopBrowser := chromedp.NewContext(allocator)
	b := &Browser{browser, func() { stopBrowser(); stopAllocator() }}
	if err := chromedp.Do(browser); err != nil {
		b.stop()
		return nil, fmt.Errorf("starting Chromium: %w; sh scripts/need.sh chromium:chromium installs it", err)
	}
	return b, nil
}

// Close stops the browser and waits until it has ended.
func (b *Browser) Close() { b.stop() }

// A Tab is an open page.
type Tab struct {
	ctx   context.Context
	close func()
	url   string

	mu       sync.Mutex
	problems []string
}

// Open opens a page in a new tab, after the given actions, and waits until it is loaded.
func (b *Browser) Open(url string, prepare ...chromedp.Action[chromedp.Void]) (*Tab, error) {
	ctx, stop := chromedp.NewContext(b.ctx)
	t := &Tab{ctx: ctx, close: stop, url: url}
	err := chromedp.Listen(ctx, t.listen)
	if err == nil {
		watch := chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err1 := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
			_, err2 := cdp.Call(ctx, target, log.Enable, cdp.Empty{})
			return errors.Join(err1, err2)
		})
		err = t.Do(slices.Concat([]chromedp.Action[chromedp.Void]{watch}, prepare, []chromedp.Action[chromedp.Void]{chromedp.Navigate(url)})...)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return t, nil
}

// Close closes the tab.
func (t *Tab) Close() { t.close() }

// Do runs actions in the page.
func (t *Tab) Do(actions ...chromedp.Action[chromedp.Void]) error {
	return chromedp.Do(t.ctx, actions...)
}

// Screenshot returns the content of the window as PNG.
func (t *Tab) Screenshot() ([]byte, error) { return chromedp.Run(t.ctx, chromedp.CaptureScreenshot()) }

// Value returns the result of an action.
func Value[T any](t *Tab, action chromedp.Action[T]) (T, error) { return chromedp.Run(t.ctx, action) }

// Eval returns the result of a script in the page; if that is a promise, the value to which it
// resolves.
func Eval[T any](t *Tab, script string) (T, error) {
	return chromedp.Run(t.ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
}

// ColorScheme emulates the preferred color scheme "light" or "dark".
func ColorScheme(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	})
}

// Problems returns what the page should not have done: console messages, exceptions, violations of
// its content security policy, and requests for anything except itself.
func (t *Tab) Problems() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.problems)
}

func (t *Tab) listen(event any) {
	var problem string
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		page, _, _ := strings.Cut(e.Request.URL, "#")
		if page == t.url || strings.HasPrefix(page, "data:,") {
			return
		}
		problem = "asks for " + e.Request.URL
	case *runtime.EventExceptionThrown:
		problem = "throws " + e.ExceptionDetails.Text
		if x := e.ExceptionDetails.Exception; x != nil {
			problem += " " + x.Description
		}
	case *runtime.EventConsoleAPICalled:
		var words []string
		for _, a := range e.Args {
			words = append(words, string(a.Value)+a.Description)
		}
		problem = fmt.Sprintf("console %s: %s", e.Type, strings.Join(words, " "))
	case *log.EventEntryAdded:
		problem = fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text)
	default:
		return
	}
	t.mu.Lock()
	t.problems = append(t.problems, problem)
	t.mu.Unlock()
}
