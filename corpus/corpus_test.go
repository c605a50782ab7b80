package corpus

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/tier"
)

var (
	choice = flag.String("corpus", "", "`entries` to run, comma-separated, or all; default: all in make corpus, in make test the small ones without -race")
	modes  = flag.String("corpus-modes", "all,all-race,all-deep,all-paths,all-sampled-paths,count", "`modes` of comparison, comma-separated")
	keep   = flag.String("corpus-keep", "", "`folder` to leave the output of all runs in")
)

// entry is a module, or a part of the standard library when module is empty.
type entry struct {
	name     string
	module   string // MODULE@VERSION
	packages []string
	skip     string // pattern of tests to skip: one that panics hides those after it
	small    bool   // part of make test
	slow     bool   // skipped with -short
}

var entries = []entry{
	{name: "go-cmp", module: "github.com/google/go-cmp@v0.7.0", packages: []string{"./..."}},
	{name: "cobra", module: "github.com/spf13/cobra@v1.10.2", packages: []string{"./..."},
		skip: "^TestFailGen"}, // they panic when run by root, who can write anywhere
	{name: "bbolt", module: "go.etcd.io/bbolt@v1.5.0", packages: []string{".", "./internal/...", "./cmd/..."}, slow: true},
	{name: "chi", module: "github.com/go-chi/chi/v5@v5.5.0", packages: []string{"./..."}},
	{name: "yaml", module: "go.yaml.in/yaml/v3@v3.0.6", packages: []string{"./..."}},
	{name: "tools-ast", module: "golang.org/x/tools@v0.52.0", packages: []string{"./go/ast/..."}},
	{name: "mod", module: "golang.org/x/mod@v0.42.0", packages: []string{"./module", "./semver"}, small: true},
	{name: "uuid", module: "github.com/google/uuid@v1.6.0", packages: []string{"."}, small: true,
		skip: "^TestVersion6$"}, // it fails in the plain program, too, in 1 of 5,400 runs: time reversed
	{name: "humanize", module: "github.com/dustin/go-humanize@v1.0.1", packages: []string{"./..."}, small: true},
	{name: "text", module: "github.com/kr/text@v0.2.0", packages: []string{"./..."}, small: true},
	{name: "sort", packages: []string{"sort"}},
	{name: "strings", packages: []string{"strings"}},
	{name: "strconv", packages: []string{"strconv"}},
	{name: "json", packages: []string{"encoding/json"}},
	{name: "template", packages: []string{"text/template", "text/template/parse"}},
	{name: "regexp", packages: []string{"regexp", "regexp/syntax"}},
	{name: "printer", packages: []string{"go/printer"}},
	{name: "http", packages: []string{"net/http"}, slow: true},
}

// commandDir is where the command is built; TestMain makes and removes it.
var commandDir string

func TestMain(m *testing.M) {
	flag.Parse()
	if *choice == "" && tier.InCorpus() {
		*choice = "all"
	}
	dir, err := os.MkdirTemp("", "markgen-corpus")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	commandDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// markgen builds the command once.
var markgen = sync.OnceValues(func() (string, error) {
	exe := filepath.Join(commandDir, "markgen")
	if out, err := exec.Command("go", "build", "-o", exe, "../cmd/markgen").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build cmd/markgen: %v\n%s", err, out)
	}
	return exe, nil
})

func TestCorpus(t *testing.T) {
	tier.Test(t)
	exceptions, err := readExceptions("exceptions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, e := range entries {
		t.Run(e.name, func(t *testing.T) {
			e.choose(t)
			for _, r := range check(t, e, exceptions) {
				rows = append(rows, r)
				t.Log(r)
			}
		})
	}
	if len(rows) == 0 {
		t.Fatalf("-corpus=%s names none of the entries", *choice)
	}
	t.Log("\n" + table(rows))
	if *choice == "all" {
		for _, x := range exceptions {
			if !x.used && slices.Contains(strings.Split(*modes, ","), x.mode) {
				t.Logf("exceptions.txt:%d: nothing differs there on this machine; if on no other either, take the line out", x.line)
			}
		}
	}
}

// choose skips the test of an entry unless it is to run.
func (e entry) choose(t *testing.T) {
	t.Helper()
	switch {
	case *choice == "" && !e.small:
		tier.Corpus(t)
	case *choice != "" && *choice != "all" && !slices.Contains(strings.Split(*choice, ","), e.name):
		t.Skip("-corpus does not name it")
	}
}

// row is one comparison: of tests or of block counts.
type row struct {
	entry, mode        string
	tests, pass, fail  int
	blocks             int
	unsteady, excepted int
	different          int
	scopes             uint64 // counts of all markers, to check that something is compared
	plain, marked      time.Duration
	plainFails         []string
}

func (r row) String() string {
	s := fmt.Sprintf("%s %s: %d tests, %d pass, %d fail plain, %d scopes, %d blocks, %d unsteady, %d excepted, %d different; %.1fs plain, %.1fs marked",
		r.entry, r.mode, r.tests, r.pass, r.fail, r.scopes, r.blocks, r.unsteady, r.excepted, r.different, r.plain.Seconds(), r.marked.Seconds())
	for _, f := range r.plainFails {
		s += "\n\tfails plain: " + f
	}
	return s
}

func table(rows []row) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "entry\tmode\ttests\tpass\tplain fails\tscopes\tblocks\tunsteady\texcepted\tdifferent\tplain s\tmarked s\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f\t\n", r.entry, r.mode, r.tests, r.pass, r.fail,
			r.scopes, r.blocks, r.unsteady, r.excepted, r.different, r.plain.Seconds(), r.marked.Seconds())
	}
	w.Flush()
	return b.String()
}

// check makes all comparisons of an entry.
func check(t *testing.T, e entry, exceptions []*exception) []row {
	exe, err := markgen()
	if err != nil {
		t.Fatal(err)
	}
	w := &workplace{entry: e, exe: exe, dir: prepare(t, e), out: t.TempDir()}
	if *keep != "" {
		w.out = filepath.Join(*keep, e.name)
		if err := os.MkdirAll(w.out, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	var rows []row
	for _, mode := range strings.Split(*modes, ",") {
		own, flags := []string(nil), []string(nil)
		w.markgen = ""
		switch mode {
		case "count":
			rows = append(rows, w.counts(t, exceptions))
			continue
		case "all":
		case "all-race":
			flags = []string{"-race"}
		case "all-deep", "all-paths":
			own = []string{strings.TrimPrefix(mode, "all")}
		case "all-sampled-paths":
			own, w.markgen = []string{"-paths"}, "sample=1:7"
		default:
			t.Fatalf("-corpus-modes=%s: %s is none", *modes, mode)
		}
		if mode == "all" || *choice != "" {
			rows = append(rows, w.tests(t, mode, own, flags, exceptions))
		}
		if strings.HasSuffix(mode, "-paths") && *choice != "" {
			w.paths(t, mode, filepath.Join(w.out, mode+".markgen"))
		}
	}
	return rows
}

// paths checks that the figures of markers are the sums over their paths.
func (w *workplace) paths(t *testing.T, mode, data string) {
	t.Helper()
	p, err := runfile.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Complete {
		t.Logf("%s: sums are not compared: %q", mode, p.Warnings)
		return
	}
	for _, err := range profiletest.PathSums(p) {
		t.Errorf("%s: %v", mode, err)
	}
}

// prepare returns the folder to run the go command in.
func prepare(t *testing.T, e entry) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "module")
	if e.module == "" {
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/std\n\ngo 1.26.0\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	from, err := download(e.module)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	// The files of the module cache are read-only.
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := os.FileMode(0o666)
		if info, err := d.Info(); err == nil {
			mode = info.Mode().Perm() | 0o200
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// tests compares the outcome of every test. own are flags of markgen, flags those of go.
func (w *workplace) tests(t *testing.T, mode string, own, flags []string, exceptions []*exception) row {
	r := row{entry: w.entry.name, mode: mode}
	plain, d := w.goTest(t, "plain-"+mode, flags)
	r.plain = d
	data := filepath.Join(w.out, mode+".markgen")
	marked, d := w.markgenTest(t, mode, slices.Concat([]string{"-all", "-o", data}, own, w.markFlags()), flags)
	r.marked = d
	if r.scopes = w.scopes(t, data); r.scopes == 0 {
		t.Errorf("%s: no marker was passed", mode)
	}
	want, got := outcomes(plain), outcomes(marked)
	if len(want) == 0 {
		t.Errorf("%s: go test ran nothing\n%.2000s", mode, plain)
	}
	for _, name := range sortedKeys(want, got) {
		x := want[name]
		if x != "" && !strings.HasSuffix(name, " ") {
			r.tests++
			switch x {
			case "pass":
				r.pass++
			case "fail":
				r.fail++
				r.plainFails = append(r.plainFails, name)
			}
		}
		if x == got[name] {
			continue
		}
		if excepted(exceptions, w.entry.name, mode, name) {
			r.excepted++
			continue
		}
		r.different++
		t.Errorf("%s: %s: %s plain, %s marked\n%s", mode, name, cmp.Or(x, "absent"), cmp.Or(got[name], "absent"), outputOf(marked, name))
	}
	return r
}

// rounds is the maximum number of runs on both sides to tell a block that differs from one whose
// count varies.
const rounds = 10

// counts compares the count of every block. Runs come one after another: at the same time they
// would disturb each other's goroutines.
func (w *workplace) counts(t *testing.T, exceptions []*exception) row {
	r := row{entry: w.entry.name, mode: "count"}
	var plain, marked []map[string]uint64
	run := func() {
		n := len(plain)
		file := filepath.Join(w.out, fmt.Sprintf("plain%d.cover", n))
		_, r.plain = w.goTest(t, fmt.Sprintf("plain-count%d", n), []string{"-covermode=atomic", "-coverprofile=" + file})
		plain = append(plain, readCover(t, file))
		file = filepath.Join(w.out, fmt.Sprintf("marked%d.cover", n))
		_, r.marked = w.markgenTest(t, fmt.Sprintf("marked-count%d", n), w.markFlags(), []string{"-covermode=atomic", "-coverprofile=" + file})
		marked = append(marked, readCover(t, file))
	}
	run()
	differ := func() (blocks []string) {
		for _, block := range sortedKeys(plain[0], marked[0]) {
			if !equal(plain, marked, block) {
				blocks = append(blocks, block)
			}
		}
		return blocks
	}
	for len(plain) < rounds && slices.ContainsFunc(differ(), func(block string) bool {
		return steady(plain, block) && steady(marked, block) && !excepted(exceptions, w.entry.name, "count", block)
	}) {
		run()
	}
	r.blocks = len(sortedKeys(plain[0], marked[0]))
	reported := 0
	for _, block := range differ() {
		if excepted(exceptions, w.entry.name, "count", block) {
			r.excepted++
			continue
		}
		if !steady(plain, block) || !steady(marked, block) {
			r.unsteady++
			continue
		}
		r.different++
		if reported++; reported <= 20 {
			a, ok := plain[0][block]
			m, markedOK := marked[0][block]
			t.Errorf("count: %s: %s plain, %s marked, in %d runs", block, count(a, ok), count(m, markedOK), len(plain))
		}
	}
	if r.different > reported {
		t.Errorf("count: and %d more", r.different-reported)
	}
	return r
}

// equal reports whether all runs of both sides agree on a block.
func equal(plain, marked []map[string]uint64, block string) bool {
	a, ok := plain[0][block]
	m, markedOK := marked[0][block]
	return ok == markedOK && a == m && steady(plain, block) && steady(marked, block)
}

// steady reports whether all runs agree on a block that they all have or all lack.
func steady(runs []map[string]uint64, block string) bool {
	a, ok := runs[0][block]
	return !slices.ContainsFunc(runs, func(run map[string]uint64) bool {
		b, has := run[block]
		return has != ok || a != b
	})
}

func count(n uint64, ok bool) string {
	if !ok {
		return "no block"
	}
	return fmt.Sprint(n, " times")
}
