// Command gotest runs go test -json and prints what go test prints without -json: a line for each
// package, and the output of packages that fail. At the end it prints how many tests passed, failed
// and were skipped, and why, which go test does not report for packages that pass.
//
//	gotest go test -json ./...
//	gotest -o a.json go test -json ./a    writes the counts to a file, for
//	gotest -sum a.json b.json
//	gotest -slowest 10 …                  also names the packages and tests that took longest
//
// The exit code is the command's. It may be any command that prints events of go test -json.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // in s
}

// A summary has the results of tests. The subtests of a test are counted in its place. The test
// itself is counted only if it is skipped after them, or if it fails and none of them did.
type summary struct {
	Passed  int
	Failed  []string            // "PACKAGE TEST", or "PACKAGE" if it failed without a failed test
	Skipped map[string][]string // "PACKAGE TEST" by reason

	Took  map[string]float64 // duration of each command in s, by the name of its file
	Spent map[string]float64 // duration of packages and tests in s, by "PACKAGE" or "PACKAGE TEST"
}

func newSummary() *summary {
	return &summary{Skipped: map[string][]string{}, Took: map[string]float64{}, Spent: map[string]float64{}}
}

// A test has the state of a test, or, if name is "", of the package outside its tests.
type test struct {
	name, action, header string          // action is pass, fail, skip, or "" until it ends; header is "--- FAIL: TestX (0.00s)"
	output               strings.Builder // without headers
}

func main() {
	keep := flag.String("o", "", "`file` to write the counts to, instead of printing them")
	sum := flag.Bool("sum", false, "print the counts in the files that are named")
	slowest := flag.Int("slowest", 0, "name the `n` packages and tests that took longest")
	flag.Parse()
	s, code, err, from := newSummary(), 0, error(nil), time.Now()
	if *sum {
		err = s.add(flag.Args())
	} else if code, err = s.run(flag.Args(), os.Stdout); err == nil && *keep == "" {
		s.Took[brief(flag.Args())] = time.Since(from).Seconds()
	} else if err == nil {
		s.Took[filepath.Base(*keep)] = time.Since(from).Seconds()
		err = s.write(*keep)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(2)
	}
	if *keep == "" {
		s.print(os.Stdout, *slowest)
	}
	os.Exit(code)
}

func (s *summary) write(name string) error {
	text, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

func (s *summary) add(files []string) error {
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		var more summary
		if err := json.Unmarshal(text, &more); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Passed += more.Passed
		s.Failed = append(s.Failed, more.Failed...)
		for reason, tests := range more.Skipped {
			s.Skipped[reason] = append(s.Skipped[reason], tests...)
		}
		maps.Copy(s.Took, more.Took)
		for name, seconds := range more.Spent {
			s.Spent[name] += seconds
		}
	}
	return nil
}

// run runs the command and returns its exit code. If the command failed but no test or package did,
// the command is listed in s.Failed.
func (s *summary) run(args []string, out io.Writer) (code int, err error) {
	if len(args) == 0 {
		return 0, errors.New("no command is given; give one such as go test -json ./pkg")
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if err := s.read(stdout, out); err != nil {
		return 0, err
	}
	if err := cmd.Wait(); err == nil {
		return 0, nil
	} else if len(s.Failed) == 0 {
		s.Failed = append(s.Failed, fmt.Sprintf("%s: %v", strings.Join(args, " "), err))
	}
	return max(1, cmd.ProcessState.ExitCode()), nil // -1: ended by a signal
}

// read reads events and counts tests, and prints each package when it ends.
func (s *summary) read(r io.Reader, out io.Writer) error {
	running := map[string][]*test{} // by package, in the order of their first events
	known := map[[2]string]*test{}
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		var e event
		switch {
		case len(line) == 0:
		case json.Unmarshal(line, &e) != nil || e.Action == "":
			show(out, string(line), all)
		case e.Package == "": // output of the build
			show(out, e.Output, all)
		default:
			key := [2]string{e.Package, e.Test}
			if known[key] == nil {
				known[key] = &test{name: e.Test}
				running[e.Package] = append(running[e.Package], known[key])
			}
			t := known[key]
			ended := t.add(e)
			if e.Elapsed >= least {
				s.Spent[strings.TrimSpace(e.Package+" "+e.Test)] += e.Elapsed
			}
			if ended && t.name == "" {
				s.end(e.Package, running[e.Package], out)
				delete(running, e.Package)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(running)) { // packages that had not ended when the command did
		s.end(name, running[name], out)
	}
	return nil
}

// least is the minimum duration of the packages and tests in summary.Spent, in s.
const least = 1

// add adds an event of the test. It reports whether the test has ended.
func (t *test) add(e event) bool {
	switch {
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		t.action = e.Action
	case t.name != "" && strings.HasPrefix(e.Output, "--- "):
		t.header = e.Output
	case t.name == "" || !strings.HasPrefix(e.Output, "=== "):
		t.output.WriteString(e.Output)
	}
	return t.action != ""
}

// end counts the tests of a package and prints the output that go test would.
func (s *summary) end(name string, tests []*test, out io.Writer) {
	parts, bad := map[string]bool{}, map[string]bool{} // tests with subtests, and with some that failed
	fine := false
	for _, t := range tests {
		fine = fine || t.name == "" && (t.action == "pass" || t.action == "skip")
		for i, c := range t.name {
			if parent := t.name[:i]; c == '/' {
				parts[parent], bad[parent] = true, bad[parent] || t.action == "fail" || t.action == ""
			}
		}
	}
	failed := len(s.Failed)
	rest := "" // output of the package outside its tests
	for _, t := range tests {
		output := t.output.String()
		switch {
		case t.name == "" && fine:
			show(out, output, isResult)
			continue
		case t.name == "":
			rest = output
			continue
		case t.action == "skip":
			why := reason(output)
			s.Skipped[why] = append(s.Skipped[why], name+" "+t.name)
		case t.action == "pass" && !parts[t.name]:
			s.Passed++
		case t.action == "fail" && !bad[t.name]:
			s.Failed = append(s.Failed, name+" "+t.name)
		case t.action == "" && !bad[t.name]:
			s.Failed = append(s.Failed, name+" "+t.name+", which did not end")
		}
		switch {
		case fine:
		case t.action == "pass" || t.action == "skip":
			show(out, output, isPrinted)
		default:
			show(out, cmp.Or(t.header, "--- FAIL: "+t.name+" (it did not end)\n")+output, all)
		}
	}
	if !fine && len(s.Failed) == failed {
		s.Failed = append(s.Failed, name)
	}
	show(out, rest, all)
}

func all(string) bool            { return true }
func isPrinted(line string) bool { return !strings.HasPrefix(line, "    ") } // not logged by a test
func isResult(line string) bool {
	return strings.HasPrefix(line, "ok  \t") || strings.HasPrefix(line, "?   \t")
}

// show prints the lines for which chosen is true, each with a newline.
func show(out io.Writer, text string, chosen func(line string) bool) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); chosen(line) {
			fmt.Fprintln(out, line)
		}
	}
}

// logged matches the first line of a log message of a test.
var logged = regexp.MustCompile(`^    (\S+\.go):\d+: (.*)`)

// reason returns why a test was skipped: its last log message, other than the log of a script from
// testscript.go.
func reason(output string) string {
	var words []string
	script := false
	for line := range strings.Lines(output) {
		if m := logged.FindStringSubmatch(line); m != nil {
			if script = m[1] == "testscript.go"; !script {
				words = strings.Fields(m[2])
			}
		} else if strings.HasPrefix(line, "        ") && !script {
			words = append(words, strings.Fields(line)...)
		}
	}
	return cmp.Or(strings.Join(words, " "), "no reason is given")
}

// print prints the counts, and the slowest packages and tests, at most slowest of each.
func (s *summary) print(out io.Writer, slowest int) {
	skipped := 0
	for _, tests := range s.Skipped {
		skipped += len(tests)
	}
	fmt.Fprintf(out, "tests: %d passed, %d failed, %d skipped\n", s.Passed, len(s.Failed), skipped)
	for _, name := range s.Failed {
		fmt.Fprintf(out, "failed: %s\n", name)
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Skipped)) {
		fmt.Fprintf(out, "skipped: %4d  %s\n", len(s.Skipped[reason]), reason)
	}
	for _, name := range byTime(s.Took) {
		fmt.Fprintf(out, "took:    %4s  %s\n", minutes(s.Took[name]), name)
	}
	packages, tests := map[string]float64{}, map[string]float64{}
	for name, seconds := range s.Spent {
		if _, test, ok := strings.Cut(name, " "); !ok {
			packages[name] = seconds
		} else if !strings.Contains(test, "/") {
			tests[name] = seconds
		}
	}
	for i, took := range []map[string]float64{packages, tests} {
		for _, name := range byTime(took)[:min(slowest, len(took))] {
			fmt.Fprintf(out, "slowest: %4s  %s %s\n", minutes(took[name]), []string{"package", "test"}[i], name)
		}
	}
}

// brief returns a command line, shortened if it has many arguments.
func brief(args []string) string {
	const most = 9
	if len(args) > most {
		return strings.Join(args[:most], " ") + " …"
	}
	return strings.Join(args, " ")
}

// byTime returns the keys of took, the longest time first.
func byTime(took map[string]float64) []string {
	return slices.SortedFunc(maps.Keys(took), func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a, b)) })
}

// minutes formats seconds as "3:07".
func minutes(seconds float64) string {
	s := int(math.Round(seconds))
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
