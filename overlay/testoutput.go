package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"time"
)

// testOutput passes on the output of go test, and adds the results of packages that failed vet, and
// coverage.
type testOutput struct {
	w    io.Writer
	json bool

	packages []string            // in the order of go's results
	failed   map[string]bool     // packages that were not run
	messages map[string][]string // messages of vet for those, with -json
	builds   map[string]string   // go's names of the failed builds
	next     int                 // index of the first package without a result

	// coverage returns the text after "coverage: " for a package whose tests have ended, or ""; nil
	// without -cover.
	coverage func(path string, tests bool) string
	frame    string // gc.Release.FrameType
	bare     bool   // the line "ok" has no coverage: the test binary writes directly to go's output, so go does not see it

	line []byte   // incomplete line
	held [][]byte // a line "PASS" or "FAIL" and the lines after it
}

func newTestOutput(w io.Writer, json bool) *testOutput {
	return &testOutput{w: w, json: json, failed: map[string]bool{}, messages: map[string][]string{}, builds: map[string]string{}}
}

// The result of a package is the last line that go test prints for it.
var (
	okLine     = regexp.MustCompile(`^(ok  \t([^\t\n]+)\t(?:[0-9.]+s|\(cached\)))(.*\n)$`)
	failLine   = regexp.MustCompile(`^FAIL\t([^\t\n ]+)[\t ].*\n$`)
	noTestLine = regexp.MustCompile(`^\?   \t([^\t\n]+)\t\[no test files\]\n$`)
)

// testEvent is an event of go test -json (cmd/test2json, go help buildjson).
type testEvent struct {
	ImportPath  string     `json:",omitempty"`
	Time        *time.Time `json:",omitempty"`
	Action      string
	Package     string   `json:",omitempty"`
	Test        string   `json:",omitempty"`
	Elapsed     *float64 `json:",omitempty"`
	Output      *string  `json:",omitempty"`
	OutputType  string   `json:",omitempty"` // since Go 1.27
	FailedBuild string   `json:",omitempty"`
}

func (o *testOutput) Write(p []byte) (int, error) {
	o.line = append(o.line, p...)
	for {
		i := bytes.IndexByte(o.line, '\n')
		if i < 0 {
			break
		}
		line := bytes.Clone(o.line[:i+1])
		o.line = o.line[i+1:]
		var err error
		if o.json {
			err = o.event(line)
		} else {
			err = o.text(line)
		}
		if err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close passes on the rest, and adds the results of all packages without one.
func (o *testOutput) Close() error {
	if err := o.release(nil); err != nil {
		return err
	}
	if _, err := o.w.Write(o.line); err != nil {
		return err
	}
	o.line = nil
	return o.catchUp(len(o.packages))
}

// text handles a line of plain output.
func (o *testOutput) text(line []byte) error {
	switch {
	case okLine.Match(line):
		m := okLine.FindSubmatch(line)
		cover := o.cover(string(m[2]), true)
		if cover != "" && !o.bare {
			line = fmt.Appendf(nil, "%s\tcoverage: %s%s", m[1], cover, m[3])
		}
		return o.result(string(m[2]), line, cover)
	case failLine.Match(line):
		path := string(failLine.FindSubmatch(line)[1])
		return o.result(path, line, o.cover(path, true))
	case noTestLine.Match(line):
		path := string(noTestLine.FindSubmatch(line)[1])
		if cover := o.cover(path, false); cover != "" {
			line = fmt.Appendf(nil, "\t%s\t\tcoverage: %s\n", path, cover)
		}
		return o.result(path, line, "")
	case o.coverage != nil && (string(line) == "PASS\n" || string(line) == "FAIL\n"):
		if err := o.release(nil); err != nil {
			return err
		}
		o.held = append(o.held, line)
		return nil
	case len(o.held) > 0 && len(o.held) < 20:
		o.held = append(o.held, line)
		return nil
	}
	if err := o.release(nil); err != nil {
		return err
	}
	_, err := o.w.Write(line)
	return err
}

func (o *testOutput) cover(path string, tests bool) string {
	if o.coverage == nil {
		return ""
	}
	return o.coverage(path, tests)
}

// release passes on the held lines, with second inserted after the first if it is not nil.
func (o *testOutput) release(second []byte) error {
	for i, line := range o.held {
		if i == 1 && second != nil {
			line = append(second, line...)
			second = nil
		}
		if _, err := o.w.Write(line); err != nil {
			return err
		}
	}
	if len(o.held) > 0 && second != nil {
		if _, err := o.w.Write(second); err != nil {
			return err
		}
	}
	o.held = nil
	return nil
}

// result passes on the result line of a package, then the results of the next packages that were
// not run.
func (o *testOutput) result(path string, line []byte, cover string) error {
	var second []byte
	if cover != "" {
		second = []byte("coverage: " + cover + "\n")
	}
	if err := o.release(second); err != nil {
		return err
	}
	if _, err := o.w.Write(line); err != nil {
		return err
	}
	for i := o.next; i < len(o.packages); i++ {
		if o.packages[i] == path {
			return o.catchUp(i + 1)
		}
	}
	return nil
}

// catchUp adds the results of packages that failed vet, before i and right after it.
func (o *testOutput) catchUp(i int) error {
	for ; o.next < len(o.packages); o.next++ {
		path := o.packages[o.next]
		if !o.failed[path] {
			if o.next >= i {
				break
			}
			continue
		}
		if err := o.failure(path); err != nil {
			return err
		}
	}
	return nil
}

// failure prints the result of a package that failed vet.
func (o *testOutput) failure(path string) error {
	text := fmt.Sprintf("FAIL\t%s [build failed]\n", path)
	if !o.json {
		_, err := io.WriteString(o.w, text)
		return err
	}
	for _, m := range o.messages[path] {
		if err := o.print(testEvent{ImportPath: o.builds[path], Action: "build-output", Output: &m}); err != nil {
			return err
		}
	}
	now, zero := time.Now(), 0.0
	for _, e := range []testEvent{
		{ImportPath: o.builds[path], Action: "build-fail"},
		{Time: &now, Action: "start", Package: path},
		{Time: &now, Action: "output", Package: path, Output: &text, OutputType: o.frame},
		{Time: &now, Action: "fail", Package: path, Elapsed: &zero, FailedBuild: o.builds[path]},
	} {
		if err := o.print(e); err != nil {
			return err
		}
	}
	return nil
}

// event handles a line of go test -json.
func (o *testOutput) event(line []byte) error {
	var e testEvent
	if json.Unmarshal(line, &e) != nil {
		_, err := o.w.Write(line)
		return err
	}
	if e.Action == "output" && e.Test == "" && e.Output != nil {
		switch text := []byte(*e.Output); {
		case okLine.Match(text):
			m := okLine.FindSubmatch(text)
			if cover := o.cover(e.Package, true); cover != "" {
				before := "coverage: " + cover + "\n"
				if err := o.print(testEvent{Time: e.Time, Action: "output", Package: e.Package, Output: &before}); err != nil {
					return err
				}
				if !o.bare {
					after := fmt.Sprintf("%s\tcoverage: %s%s", m[1], cover, m[3])
					e.Output = &after
				}
				return o.print(e)
			}
		case failLine.Match(text):
			if cover := o.cover(e.Package, true); cover != "" {
				before := "coverage: " + cover + "\n"
				if err := o.print(testEvent{Time: e.Time, Action: "output", Package: e.Package, Output: &before}); err != nil {
					return err
				}
			}
		case noTestLine.Match(text):
			if cover := o.cover(e.Package, false); cover != "" {
				after := fmt.Sprintf("\t%s\t\tcoverage: %s\n", e.Package, cover)
				e.Output = &after
				return o.print(e)
			}
		}
	}
	if e.Test == "" && e.Action == "skip" && o.cover(e.Package, false) != "" { // then it has a result for go
		passed := e
		passed.Action = "pass"
		if err := o.print(passed); err != nil {
			return err
		}
	} else if _, err := o.w.Write(line); err != nil {
		return err
	}
	if e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip") {
		for i := o.next; i < len(o.packages); i++ {
			if o.packages[i] == e.Package {
				return o.catchUp(i + 1)
			}
		}
	}
	return nil
}

func (o *testOutput) print(e testEvent) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = o.w.Write(append(line, '\n'))
	return err
}
