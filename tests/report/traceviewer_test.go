package report_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/tests/browsertest"
	"github.com/markgen/markgen/tier"
)

// The trace viewer of chrome://tracing is part of the Go distribution, for go tool trace. In a
// browser it reads the written trace (report's TestChromeTrace) with the expected result.
func TestChromeTraceInViewer(t *testing.T) {
	tier.Test(t)
	written, read := goldenText(t, "trace.json"), goldenText(t, "trace-read.txt")
	if got := traceViewer(t, written); got != read {
		t.Errorf("the viewer reads:\n%s\nwant:\n%s", got, read)
	}
}

// goldenText returns a golden file of package report.
func goldenText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../golden/testdata/report", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// viewerScript reads /trace.json and lists the result in the format of trace-read.txt.
const viewerScript = `(async () => {
	while (!window.ready) {
		await new Promise(resolve => setTimeout(resolve, 10));
	}
	const model = new tr.Model();
	const options = new tr.importer.ImportOptions();
	options.shiftWorldToZero = false;
	new tr.importer.Import(model, options).importTraces([await (await fetch("/trace.json")).text()]);
	let list = model.importWarnings.map(w => "warning: " + w.message + "\n").join("");
	const ns = ms => Math.round(ms * 1e6);
	const args = event => Object.keys(event.args).sort().map(key => {
		const value = event.args[key];
		return " " + key + "=" + (key === "until_us" ? value.toFixed(3) : value);
	}).join("");
	const slices = (slice, indent) => {
		list += indent + ns(slice.start) + "…" + (slice.didNotFinish ? "open" : ns(slice.end)) + " " + slice.title + args(slice) + "\n";
		slice.subSlices.forEach(inner => slices(inner, indent + "  "));
	};
	const byNumber = (all) => Object.keys(all).map(Number).sort((a, b) => a - b);
	for (const pid of byNumber(model.processes)) {
		const process = model.processes[pid];
		list += "process " + pid + " " + process.name + ", " + process.labels.join(",") + "\n";
		process.instantEvents.forEach(i => { list += "  " + ns(i.start) + " " + i.title + args(i) + "\n"; });
		const watches = byNumber(process.threads).flatMap(tid => process.threads[tid].asyncSliceGroup.slices);
		watches.sort((a, b) => a.start - b.start).forEach(slice => slices(slice, "  "));
		for (const tid of byNumber(process.threads)) {
			const thread = process.threads[tid];
			list += "  thread " + tid + " " + thread.name + "\n";
			thread.sliceGroup.topLevelSlices.forEach(slice => slices(slice, "    "));
		}
	}
	return list;
})()`

// traceViewer returns the trace viewer's result for a trace.
func traceViewer(t *testing.T, text string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	static := filepath.Join(strings.TrimSpace(string(root)), "src/internal/trace/traceviewer/static")
	if _, err := os.Stat(filepath.Join(static, "trace_viewer_full.html")); err != nil {
		t.Fatalf("the Go distribution has no trace viewer: %v", err)
	}
	pages := http.NewServeMux()
	pages.Handle("/static/", http.StripPrefix("/static/", http.FileServer(http.Dir(static))))
	pages.HandleFunc("/trace.json", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) })
	pages.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!DOCTYPE html><script src="/static/webcomponents.min.js"></script><link rel="import" href="/static/trace_viewer_full.html" onload="window.ready = true">`)
	})
	server := httptest.NewServer(pages)
	defer server.Close()

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	browser, err := browsertest.Start(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer browser.Close()
	tab, err := browser.Open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	got, err := browsertest.Eval[string](tab, viewerScript)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
