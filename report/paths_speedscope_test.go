package report_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/tier"
)

// speedscope recognizes the folded and the pprof format by their content, and reads the same paths
// with the same self times from both.
func TestPathsInSpeedscope(t *testing.T) {
	tier.Corpus(t)
	dir, release := t.TempDir(), fetchSpeedscope(t)
	p := reporttest.WithPaths(t)
	p.Paths.Nodes = p.Paths.Nodes[:len(p.Paths.Nodes)-1] // without scopes beyond the limit, which pprof has no path for
	read := func(name string, p *profile.Profile, format string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(reporttest.Write(t, p, report.Options{Format: format})), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "node", "-e", speedscopePathsScript, release, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	sorted := func(text string) string {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if got, want := read("shop.txt", p, "folded"), sorted(reporttest.Write(t, p, report.Options{Format: "folded"})); got != want {
		t.Errorf("from folded it reads:\n%s\nwant:\n%s", got, want)
	}
	for i := range p.Paths.Nodes {
		p.Paths.Nodes[i].Label = "" // labels are not in the names of functions
	}
	p.Paths = profile.NewPaths(p.Paths.Nodes)
	if got, want := read("shop.pb.gz", p, "pprof"), sorted(reporttest.Write(t, p, report.Options{Format: "folded"})); got != want {
		t.Errorf("from pprof it reads:\n%s\nwant:\n%s", got, want)
	}
}

// speedscopePathsScript lists, in the folded format, the paths that speedscope reads from the file
// argv[2]. The function that recognizes formats is exposed as in speedscopeScript.
const speedscopePathsScript = `
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const [release, file] = process.argv.slice(1);
const page = fs.readFileSync(path.join(release, fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name))), "utf8");
const at = page.indexOf("Importing as protobuf encoded pprof file");
const importer = [...page.slice(0, at).matchAll(/async function ([\w$]+)\(/g)].at(-1)[1];
const ready = /var [\w$,]*?([\w$]+)=re\(\(\)=>/.exec(page.slice(at))[1];
try {
	(0, eval)(page.replace("(()=>{", "(()=>{globalThis.importAny=source=>{" + ready + "();return " + importer + "(source)};"));
} catch {}
let bytes = fs.readFileSync(file);
if (bytes[0] === 0x1f) {
	bytes = zlib.gunzipSync(bytes);
}
const text = bytes.toString();
const log = console.log;
console.log = () => {};
globalThis.importAny({
	name: async () => path.basename(file),
	readAsArrayBuffer: async () => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
	readAsText: async () => ({ splitLines: () => text.split("\n"), firstChunk: () => text, parseAsJSON: () => JSON.parse(text) }),
}).then(({ profiles }) => {
	const list = (node, names) => {
		if (names.length > 0) {
			log(names.join(";") + " " + node.getSelfWeight());
		}
		for (const child of node.children) {
			list(child, [...names, child.frame.name]);
		}
	};
	list(profiles[0].getAppendOrderCalltreeRoot(), []);
});`
