package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/tests/browsertest"
)

// htmlMarkers is the number of markers in the measured page.
const htmlMarkers = 20_000

// html measures the page of many markers: its size, without source and with as much source as a
// page includes, and the time Chromium takes to show and sort it.
func (b *bench) html(ctx context.Context) error {
	p := profiletest.Random(htmlMarkers, 1)
	var page, sourced bytes.Buffer
	if err := report.Write(&page, p, report.Options{Format: "html"}); err != nil {
		return err
	}
	total := 0
	source, err := anySource(ctx, &total)
	if err != nil {
		return err
	}
	if err := report.Write(&sourced, p, report.Options{Format: "html", Source: source}); err != nil {
		return err
	}
	about := fmt.Sprintf("%d markers, ", htmlMarkers)
	b.record(about+"bytes", atMost(3).in("MB"), float64(page.Len())/1e6, "")
	b.record(about+"bytes with source", bar{unit: "MB"}, float64(sourced.Len())/1e6, fmt.Sprintf("%.1f MB of it", float64(total)/1e6))

	file := filepath.Join(b.work, "report.html")
	if err := os.WriteFile(file, page.Bytes(), 0o666); err != nil {
		return err
	}
	browser, err := browsertest.Start(ctx)
	if err != nil {
		return err
	}
	defer browser.Close()
	var loads, sorts, cards []float64
	for range b.roundsOr(7) {
		load, sort, card, err := loadAndSort(browser, "file://"+filepath.ToSlash(file))
		if err != nil {
			return err
		}
		loads, sorts, cards = append(loads, load), append(sorts, sort), append(cards, card)
		err = b.results.add("html/html.txt", "HTML", 1, benchfmt.Value{Value: load / 1e3, Unit: "load-sec"},
			benchfmt.Value{Value: sort / 1e3, Unit: "sort-sec"}, benchfmt.Value{Value: card / 1e3, Unit: "cards-sec"},
			benchfmt.Value{Value: float64(page.Len()), Unit: "page-B"})
		if err != nil {
			return err
		}
	}
	b.record(about+"load", atMost(1000).in("ms"), median(loads), "rounds: "+list(loads, "%.0f"))
	b.record(about+"slowest sort", atMost(1000).in("ms"), median(sorts), "rounds: "+list(sorts, "%.0f"))
	b.record(about+"cards of its functions", atMost(1000).in("ms"), median(cards), "rounds: "+list(cards, "%.0f"))
	return nil
}

// loadAndSort opens the page, sorts it by each of its columns in both directions, and switches to
// the API view. It returns times in ms: from the start of loading until the table is shown, and
// from a click until the browser has painted the result, for the slowest sort and for the API view.
func loadAndSort(browser *browsertest.Browser, url string) (load, slowest, cards float64, err error) {
	tab, err := browser.Open(url)
	if err != nil {
		return 0, 0, 0, err
	}
	defer tab.Close()
	load, err = browsertest.Eval[float64](tab, `(async () => {
		let ready;
		while (!(ready = performance.getEntriesByName("markgen:ready")[0])) {
			await new Promise((go) => setTimeout(go, 5));
		}
		return ready.startTime;
	})()`)
	if err != nil {
		return 0, 0, 0, err
	}
	slowest, err = browsertest.Eval[float64](tab, `(async () => {
		const painted = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
		let slowest = 0;
		for (const button of document.querySelectorAll("#markers thead button")) {
			for (const again of [false, true]) {
				await painted();
				const begin = performance.now();
				button.click();
				await painted();
				slowest = Math.max(slowest, performance.now() - begin);
			}
		}
		return slowest;
	})()`)
	if err != nil {
		return 0, 0, 0, err
	}
	cards, err = browsertest.Eval[float64](tab, `(async () => {
		const painted = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go, 0)));
		await painted();
		const begin = performance.now();
		document.querySelector('#views [href="#api"]').click();
		await painted();
		while (document.querySelector(".card .further") === null) {
			await painted();
		}
		return performance.now() - begin;
	})()`)
	if problems := tab.Problems(); err == nil && len(problems) > 0 {
		err = fmt.Errorf("the page has problems: %s", strings.Join(problems, "; "))
	}
	return load, slowest, cards, err
}

// anySource returns a function that returns a different file of the standard library for each file
// it is asked for, and adds their sizes in bytes to total.
func anySource(ctx context.Context, total *int) (func(string, string, bool) (report.Source, error), error) {
	root, err := goRoot(ctx)
	if err != nil {
		return nil, err
	}
	var files []string
	err = filepath.WalkDir(filepath.Join(root, "src"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	next := 0
	return func(string, string, bool) (report.Source, error) {
		text, err := os.ReadFile(files[next%len(files)])
		next++
		*total += len(text)
		return report.Source{Text: string(text)}, err
	}, nil
}
