package report_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// speedscopePackage is the npm package of the speedscope to test with.
const speedscopePackage = "speedscope@1.25.0"

// The importer of speedscope makes the same slices from a trace as readChrome does. The test runs
// the importer of the published page in node.
func TestChromeTraceInSpeedscope(t *testing.T) {
	tier.Corpus(t)
	dir, release := t.TempDir(), fetchSpeedscope(t)
	texts := map[string]string{"demo": chrome(t, demoTraces()...)}
	for seed := range uint64(20) {
		texts[fmt.Sprintf("seed %d", seed)] = chrome(t, randomTrace(seed))
	}
	for name, text := range texts {
		file := filepath.Join(dir, "trace.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "node", "-e", speedscopeScript, release, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if got, want := string(out), inSpeedscope(chromeModelOf(t, text)); got != want {
			t.Errorf("%s: speedscope reads:\n%s\nwant:\n%s", name, got, want)
		}
	}
}

// fetchSpeedscope installs speedscope in a temporary directory, and returns that of its page.
func fetchSpeedscope(t *testing.T) (release string) {
	dir := t.TempDir()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("speedscope's importer needs node and npm: ", err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), "npm", "install", "--prefix", dir, speedscopePackage).CombinedOutput(); err != nil {
		t.Skipf("npm can't fetch %s: %v\n%s", speedscopePackage, err, out)
	}
	return filepath.Join(dir, "node_modules", "speedscope", "dist", "release")
}

// inSpeedscope lists the slices of all threads that have some, with times since the first slice of
// each thread.
func inSpeedscope(m chromeModel) string {
	var b strings.Builder
	for _, pid := range slices.Sorted(maps.Keys(m)) {
		p := m[pid]
		for _, tid := range slices.Sorted(maps.Keys(p.threads)) {
			th := p.threads[tid]
			if first := slices.IndexFunc(th.slices, func(s *chromeSlice) bool { return s.start != s.end }); first >= 0 {
				fmt.Fprintf(&b, "%s (pid %d), %s (tid %d)\n%s", p.name, pid, th.name, tid, nested(th.slices, th.slices[first].start))
			}
		}
	}
	return b.String()
}

// speedscopeScript lists, in the format of inSpeedscope, the slices that the importer of the page
// in directory argv[1] makes from the file argv[2]. The page is one function, of which nothing can
// be called from outside: the importer is the function that is called where the file's type is
// logged, and a line added at the beginning of the page exposes it. The rest of the page needs a
// document, and fails.
const speedscopeScript = `
const fs = require("fs"), path = require("path");
const [release, file] = process.argv.slice(1);
const page = fs.readFileSync(path.join(release, fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name))), "utf8");
const importer = /"Importing as Trace Event Format profile"\),([\w$]+)\(/.exec(page)[1];
const ready = /var [\w$,]+,([\w$]+)=re\(\(\)=>/.exec(page.slice(page.indexOf("function " + importer + "(")))[1];
try {
	(0, eval)(page.replace("(()=>{", "(()=>{globalThis.importTrace=trace=>{" + ready + "();return " + importer + "(trace)};"));
} catch {}
const text = fs.readFileSync(file, "utf8"), names = {};
for (const e of JSON.parse(text).traceEvents) {
	names[e.name + (e.args ? " " + JSON.stringify(e.args) : "")] = e.name;
}
console.warn = message => { // that an end has other arguments than its beginning is fine
	if (!/ was on the top of the stack. Ending /.test(message)) {
		console.log(message);
	}
};
const ns = us => Math.round(us * 1000);
for (const profile of globalThis.importTrace(JSON.parse(text)).profiles) {
	console.log(profile.getName());
	const all = [], open = [];
	profile.forEachCall((node, value) => {
		const slice = { depth: open.length, start: value, name: names[node.frame.name] };
		all.push(slice);
		open.push(slice);
	}, (node, value) => { open.pop().end = value; });
	for (const s of all) {
		console.log(s.depth + ": " + ns(s.start) + "…" + ns(s.end) + " " + s.name);
	}
}`
