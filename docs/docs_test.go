package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/markgen/markgen/tier"
)

// exempt lists the commands on the pages that the test does not run, and why.
var exempt = map[string]string{
	"make bench": "it takes an hour and says how fast things are, not whether they are right",
	"make test":  "it runs this test",
}

// markgen builds the commands, once for all pages, into a temporary directory, and in make corpus
// also benchstat, which a page uses.
var markgen = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "markgen-docs-"); err != nil {
		return "", err
	}
	packages := []string{"../cmd/markgen", "../service/cmd/markgend"}
	if tier.InCorpus() {
		packages = append(packages, "golang.org/x/perf/cmd/benchstat")
	}
	out, err := exec.Command("go", append([]string{"build", tier.Flags, "-o", dir + string(filepath.Separator)}, packages...)...).CombinedOutput()
	if err != nil {
		return dir, fmt.Errorf("go build %s: %v\n%s", strings.Join(packages, " "), err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, _ := markgen(); dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// environ returns an environment with the commands first on PATH and without variables that change
// what they do.
func environ(t *testing.T) []string {
	t.Helper()
	dir, err := markgen()
	if err != nil {
		t.Fatal(err)
	}
	var env []string
	for _, kv := range os.Environ() {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "MARKGEN", "GOFLAGS", "GOWORK", "GOCOVERDIR", "NO_COLOR", "MAKEFLAGS", "MFLAGS", "MAKELEVEL":
		default:
			env = append(env, kv)
		}
	}
	return append(env, "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOFLAGS=-buildvcs=false "+tier.CachedFlags())
}

// first lists the pages that people read first. make test runs only these.
var first = []string{"README.md", "docs/tutorial/first-report.md", "docs/tutorial/permanent-markers.md"}

// TestPages runs the shell blocks of each page, as one script in a directory of its own, and
// compares their output with the page. The script of README.md runs in a copy of the checkout, a
// git repository with one commit.
func TestPages(t *testing.T) {
	tier.Test(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatalf("the shell blocks are for bash: %v", err)
	}
	env := environ(t)
	for _, p := range pages(t) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(p.name, "docs/"), ".md"), func(t *testing.T) {
			if !slices.Contains(first, p.name) {
				tier.Corpus(t)
			}
			dir, env := t.TempDir(), env
			if p.name == "README.md" {
				copyCheckout(t, dir)
				commitAll(t, dir)
				env = append(slices.Clone(env), asElsewhere...)
			}
			for _, d := range runPage(t, bash, p, dir, env) {
				t.Error(d)
			}
		})
	}
}

// asElsewhere makes builds independent of the directory of the checkout, so that they are in go's
// cache.
var asElsewhere = []string{
	"GOFLAGS=-buildvcs=false -trimpath " + tier.Flags,
	`MAKEFLAGS= -- GOFLAGS=-buildvcs=false\ -trimpath\ ` + tier.Flags,
}

// between separates the outputs of two blocks.
const between = "\x1e\n"

// runPage runs the blocks of a page and returns how their output differs from the page.
func runPage(t *testing.T, bash string, p page, dir string, env []string) (differences []string) {
	t.Helper()
	script := "set -eu\nexec 2>&1 </dev/null\n"
	var run []int // indexes of the blocks that the script runs
	for i, b := range p.blocks {
		if b.lang != "sh" || exempt[strings.TrimSpace(b.text)] != "" {
			continue
		}
		run = append(run, i)
		script += b.text + "\nprintf '\\036\\n'\n"
	}
	if len(run) == 0 {
		return nil
	}
	file := filepath.Join(t.TempDir(), "page.sh")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, file)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, append(env, "PWD="+dir), time.Second
	out, err := cmd.CombinedOutput()
	outputs := strings.Split(string(out), between)
	for n, i := range run {
		b := p.blocks[i]
		if n == len(outputs)-1 {
			t.Fatalf("%s:%d: the block fails: %v\n%s\n%s", p.name, b.line, err, b.text, outputs[n])
		}
		if i+1 < len(p.blocks) && p.blocks[i+1].lang == "text" {
			if difference := compare(p.blocks[i+1].text, outputs[n]); difference != "" {
				differences = append(differences, fmt.Sprintf("%s:%d: %s", p.name, p.blocks[i+1].line, difference))
			}
		}
	}
	if err != nil {
		differences = append(differences, fmt.Sprintf("%s: %v", p.name, err))
	}
	return differences
}

// copyCheckout copies the files that the Makefile's targets need, so that running them does not
// change the checkout.
func copyCheckout(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("..", path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir() && (d.Name() == ".git" || rel == "bin" || rel == "corpus" || rel == filepath.Join("testdata", "traps")):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// commitAll makes a git repository of a directory, with one commit of all that is in it.
func commitAll(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "."},
		{"-c", "user.name=Gopher", "-c", "user.email=gopher@example.com", "commit", "-q", "-m", "All"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// TestLinks checks that the files and headings to which the pages link exist, and that each page is linked
// to.
func TestLinks(t *testing.T) {
	all := pages(t)
	headings := map[string]map[string]bool{}
	for _, p := range all {
		headings[p.name] = anchors(p.prose)
	}
	linked := map[string]bool{"README.md": true}
	for _, p := range all {
		for _, link := range links(p.prose) {
			if strings.Contains(link, "://") {
				continue
			}
			file, anchor, hasAnchor := strings.Cut(link, "#")
			target := p.name
			if file != "" {
				target = path.Join(path.Dir(p.name), file)
			}
			if target != p.name {
				linked[target] = true
			}
			if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", p.name, link)
			} else if hasAnchor && !headings[target][anchor] {
				t.Errorf("%s links to %s: %s has no such heading", p.name, link, target)
			}
		}
	}
	for _, p := range all {
		if !linked[p.name] {
			t.Errorf("no page links to %s", p.name)
		}
	}
}

// anchors are the fragments of URLs by which a page's headings can be linked to, as GitHub makes them.
func anchors(prose string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(prose) {
		if !strings.HasPrefix(line, "#") {
			continue
		}
		text := strings.ToLower(strings.TrimSpace(strings.TrimLeft(line, "#")))
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return r
			}
			return -1
		}, text)] = true
	}
	return found
}

// What a reader is to read at most: in words, of all pages in docs, and of one that is no reference.
const (
	mostWords     = 25_000
	mostPageWords = 2_500
)

func TestLength(t *testing.T) {
	words := 0
	for _, p := range pages(t) {
		n := p.words()
		if p.name != "README.md" {
			words += n
		}
		if n > mostPageWords && !strings.HasPrefix(p.name, "docs/reference/") {
			t.Errorf("%s has %d words, more than %d", p.name, n, mostPageWords)
		}
	}
	if words > mostWords {
		t.Errorf("the pages have %d words, more than %d", words, mostWords)
	}
	t.Logf("%d words", words)
}

func links(prose string) (list []string) {
	for {
		_, rest, ok := strings.Cut(prose, "](")
		if !ok {
			return list
		}
		link, after, _ := strings.Cut(rest, ")")
		list, prose = append(list, link), after
	}
}

// TestFlags compares the flags that the help texts explain with those that the pages name.
func TestFlags(t *testing.T) {
	env := environ(t)
	var help bytes.Buffer
	commands := commandNames(t, env)
	for _, c := range commands {
		program, name, _ := strings.Cut(c, " ")
		help.Write(outputOf(t, env, program, "help", name))
	}
	known := map[string]bool{}
	for line := range strings.Lines(help.String()) {
		if flag := explained.FindStringSubmatch(line); flag != nil {
			known[flag[1]] = true
		}
	}
	for _, f := range []string{"report", "o", "vendor"} { // not at the start of a line of a help text
		known[f] = true
	}
	bench, err := os.ReadFile(filepath.Join("..", "bench", "main.go")) // a separate command with its own flags
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, flag := range benchFlag.FindAllSubmatch(bench, -1) {
		own[string(flag[1])] = true
	}
	named, all := map[string]string{}, ""
	for _, p := range pages(t) {
		for i, span := range strings.Split(p.prose, "`") {
			if i%2 == 0 || !strings.HasPrefix(span, "markgen ") && !strings.HasPrefix(span, "markgend ") && !strings.HasPrefix(span, "-") {
				continue
			}
			for _, word := range strings.Fields(span) {
				if flag, ok := strings.CutPrefix(word, "-"); ok && flag != "" && word != "--" {
					flag, _, _ = strings.Cut(flag, "=")
					named[flag] = p.name
				}
			}
		}
		all += p.prose
		for _, b := range p.blocks {
			all += b.text
		}
	}
	for flag, page := range named {
		if !known[flag] && !goFlags[flag] && !(own[flag] && filepath.Base(page) == "performance.md") {
			t.Errorf("%s names a flag -%s, which no help text explains", page, flag)
		}
	}
	for flag := range known {
		if named[flag] == "" {
			t.Errorf("no page names the flag -%s", flag)
		}
	}
	for _, c := range commands {
		if !strings.Contains(all, c) {
			t.Errorf("no page names the command %s", c)
		}
	}
}

// benchFlag matches a definition of a flag in the source of the benchmark command.
var benchFlag = regexp.MustCompile(`flag\.\w+\((?:&[\w.]+, )?"([a-z-]+)"`)

// explained matches a line of a help text that explains a flag.
var explained = regexp.MustCompile(`^  -([a-z]+(?:-[a-z]+)*)`)

// goFlags lists the go command's flags that the pages name.
var goFlags = map[string]bool{"c": true, "count": true, "cover": true, "coverpkg": true, "covermode": true, "coverprofile": true,
	"a": true, "buildmode": true, "overlay": true, "race": true, "tags": true, "trimpath": true, "vet": true, "buildvcs": true, "args": true, "mod": true,
	"modfile": true, "C": true, "pgo": true, "toolexec": true, "exec": true, "p": true, "run": true, "gcflags": true, "bench": true, "benchtime": true, "cpu": true, "timeout": true}

// commandNames returns the commands that markgen help and markgend help list, as "PROGRAM COMMAND".
func commandNames(t *testing.T, env []string) (names []string) {
	t.Helper()
	for _, program := range []string{"markgen", "markgend"} {
		before := len(names)
		for line := range strings.Lines(string(outputOf(t, env, program, "help"))) {
			if words := strings.Fields(line); strings.HasPrefix(line, "  ") && len(words) > 2 && !strings.HasPrefix(line, "      ") {
				names = append(names, program+" "+words[0])
			}
		}
		if len(names) < before+5 {
			t.Fatalf("%s help lists only %q", program, names[before:])
		}
	}
	return names
}

// output is outputOf for markgen.
func output(t *testing.T, env []string, args ...string) []byte {
	t.Helper()
	return outputOf(t, env, "markgen", args...)
}

// outputOf runs a program and returns its stdout and stderr, whatever its exit code is.
func outputOf(t *testing.T, env []string, program string, args ...string) []byte {
	t.Helper()
	dir, _ := markgen()
	cmd := exec.Command(filepath.Join(dir, program), args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out
}

// TestWords checks that the pages name all words that messages list.
func TestWords(t *testing.T) {
	env := environ(t)
	for _, test := range []struct {
		page  string
		args  []string
		after string // text before the list, which ends with the sentence
	}{
		{"docs/reference/report.md", []string{"report", "-format", "x"}, "the formats are "},
		{"docs/reference/report.md", []string{"report", "-sort", "x"}, "the keys are "},
		{"docs/explanation/how-it-works.md", []string{"run", "-form", "x"}, "the forms are "},
	} {
		_, list, ok := strings.Cut(string(output(t, env, test.args...)), test.after)
		if !ok {
			t.Errorf("markgen %s does not say %q", strings.Join(test.args, " "), test.after)
			continue
		}
		list, _, _ = strings.Cut(list, ";")
		prose := readPage(t, test.page).prose
		for _, word := range strings.Fields(strings.NewReplacer(",", " ", " and ", " ").Replace(list)) {
			if !strings.Contains(prose, "`"+word+"`") {
				t.Errorf("%s does not name `%s`", test.page, word)
			}
		}
	}
}

// TestKeys compares the keys in the table of the page about MARKGEN with those in the message on
// the page. TestPages checks that programs print that message.
func TestKeys(t *testing.T) {
	p := readPage(t, "docs/reference/markgen-variable.md")
	var listed []string
	for _, b := range p.blocks {
		if _, list, ok := strings.Cut(b.text, "the keys are "); ok && b.lang == "text" {
			list, _, _ = strings.Cut(list, ";")
			listed = strings.Split(list, ", ")
		}
	}
	var explained []string
	for line := range strings.Lines(p.prose) {
		cell, _, ok := strings.Cut(line, "|")
		if !ok || !strings.HasPrefix(cell, "`") {
			continue
		}
		for i, word := range strings.Split(cell, "`") { // one or more keys
			if i%2 == 1 {
				explained = append(explained, word)
			}
		}
	}
	slices.Sort(listed)
	slices.Sort(explained)
	if !slices.Equal(listed, explained) {
		t.Errorf("programs know the keys %q, the page's table has %q", listed, explained)
	}
}
