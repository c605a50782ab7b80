package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/tests/browsertest"
)

// flamePaths is the number of nodes of the measured flame graph.
const flamePaths = 50_000

// flame measures the page of many call paths: its size, and the time Chromium takes to draw the flame
// graph and to zoom.
func (b *bench) flame(ctx context.Context) error {
	p := profiletest.Random(5000, 1)
	p.Paths = profiletest.CallTree(p, flamePaths, 1)
	var page bytes.Buffer
	if err := report.Write(&page, p, report.Options{Format: "html"}); err != nil {
		return err
	}
	about := fmt.Sprintf("%d paths, ", flamePaths)
	b.record(about+"bytes", atMost(6).in("MB"), float64(page.Len())/1e6, "")
	file := filepath.Join(b.work, "flame.html")
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		return err
	}
	browser, err := browsertest.Start(ctx)
	if err != nil {
		return err
	}
	defer browser.Close()
	var draws, zooms []float64
	for range b.roundsOr(7) {
		draw, zoom, err := drawAndZoom(browser, "file://"+filepath.ToSlash(file))
		if err != nil {
			return err
		}
		draws, zooms = append(draws, draw), append(zooms, zoom)
		err = b.results.add("flame/flame.txt", "Flame", 1, benchfmt.Value{Value: draw / 1e3, Unit: "draw-sec"},
			benchfmt.Value{Value: zoom / 1e3, Unit: "zoom-sec"}, benchfmt.Value{Value: float64(page.Len()), Unit: "page-B"})
		if err != nil {
			return err
		}
	}
	b.record(about+"draw", atMost(1000).in("ms"), median(draws), "rounds: "+list(draws, "%.0f"))
	b.record(about+"slowest zoom", atMost(100).in("ms"), median(zooms), "rounds: "+list(zooms, "%.0f"))
	return nil
}

// drawAndZoom opens the page, zooms into ten frames, each in the one before, and out again. It returns
// times in ms: from the start of loading until the flame graph is painted, and from a key until the
// browser has painted the result, for the slowest zoom.
func drawAndZoom(browser *browsertest.Browser, url string) (draw, slowest float64, err error) {
	tab, err := browser.Open(url)
	if err != nil {
		return 0, 0, err
	}
	defer tab.Close()
	draw, err = browsertest.Eval[float64](tab, `(async () => {
		let ready;
		while (!(ready = performance.getEntriesByName("markgen:ready")[0])) {
			await new Promise((go) => setTimeout(go, 5));
		}
		return ready.startTime;
	})()`)
	if err != nil {
		return 0, 0, err
	}
	slowest, err = browsertest.Eval[float64](tab, `(async () => {
		const painted = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
		const frames = document.querySelector(".frames");
		const press = (key) => frames.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		let slowest = 0;
		for (let i = 0; i < 20; i++) {
			press(i < 10 ? "ArrowDown" : "ArrowUp");
			await painted();
			const begin = performance.now();
			press("Enter");
			await painted();
			slowest = Math.max(slowest, performance.now() - begin);
		}
		return slowest;
	})()`)
	if problems := tab.Problems(); err == nil && len(problems) > 0 {
		err = fmt.Errorf("the page has problems: %s", strings.Join(problems, "; "))
	}
	return draw, slowest, err
}
