package overlay

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// If a build fails only because it is marked, messages are translated to the user's source, and
// each line remains an event.
func TestExplainedEvents(t *testing.T) {
	var out bytes.Buffer
	e := &buildEvents{
		w:        &out,
		original: func() ([]byte, bool) { return nil, true },
		explain: func() (*explainer, error) {
			return &explainer{b: &Build{dir: t.TempDir()}, own: strings.NewReplacer("/cache/text.go", "a.go")}, nil
		},
	}
	for _, line := range []string{
		`{"ImportPath":"m","Action":"build-output","Output":"# m\n"}`, `{"ImportPath":"m","Action":"build-output","Output":"/cache/text.go:3:7: undefined: x\n"}`,
		`{"ImportPath":"w","Action":"build-output","Output":"/cache/text.go:1:1: a warning\n"}`, `not an event`, `{"ImportPath":"m","Action":"build-fail"}`,
	} {
		if _, err := e.Write([]byte(line + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		var v testEvent
		if json.Unmarshal([]byte(line), &v) != nil {
			got = append(got, line)
			continue
		}
		text := ""
		if v.Output != nil {
			text = *v.Output
		}
		got = append(got, v.ImportPath+" "+v.Action+" "+text)
	}
	want := []string{"not an event\n", "m build-output # m\n", "m build-output a.go:3: undefined: x\n", "m build-fail ", "w build-output a.go:1: a warning\n"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
