//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/fleet/client"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/tier"
)

// libBatch returns a profile of a version of lib, encoded too, whose functions have 1000 calls each
// of the given times in ns.
func libBatch(t *testing.T, version string, times map[string]uint64) (*profile.Profile, []byte) {
	t.Helper()
	p := &profile.Profile{Runs: 40, Main: "example.com/lib", Version: version, Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", CPU: "Some 9000"}
	for i, name := range []string{"(*Buffer).Write", "(*MyBuffer).Write", "SteadyA", "SteadyB"} {
		ns, ok := times[name]
		if !ok {
			continue
		}
		p.Markers = append(p.Markers, profile.Marker{
			ID: registry.ID(i + 1), Name: "example.com/lib." + name, Package: "example.com/lib", Kind: "func", File: "lib.go", Line: i + 1, Col: 1,
			Runs: 40, Count: 1000, SelfNS: 1000 * ns, MinNS: ns - 10, MaxNS: ns + 10,
			Buckets: []profile.Bucket{{K: map[bool]uint8{false: 6, true: 7}[ns >= 128], Count: 1000, SumNS: 1000 * ns, SumSq: profile.Uint128{Lo: 1000 * (ns*ns + 10)}}},
		})
	}
	body, err := codec.Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, body
}

// named waits until the names of want APIs are found, which is a little after their statistics are
// there.
func named(t *testing.T, url, token string, want int) {
	t.Helper()
	c := client.Client{Server: url, Token: token}
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		l, err := c.APIs(t.Context(), client.Query{})
		if err != nil || time.Now().After(end) {
			t.Fatalf("%d APIs of %d are found: %v", l.Total, want, err)
		}
		if l.Total == want {
			return
		}
	}
}

// If two builds are compared for a name, exit code and output are about the APIs that match the
// name, and no others.
func TestQueryCompareNamed(t *testing.T) {
	tier.Test(t)
	db := filepath.Join(t.TempDir(), "fleet.db")
	token := storeToken(t, db, "ingest,read")
	s := serve(t, db)
	before, body := libBatch(t, "v1.0.0", map[string]uint64{"(*Buffer).Write": 100, "(*MyBuffer).Write": 100, "SteadyA": 90, "SteadyB": 80})
	after, newBody := libBatch(t, "v1.1.0", map[string]uint64{"(*Buffer).Write": 100, "(*MyBuffer).Write": 200, "SteadyA": 90})
	for _, body := range [][]byte{body, newBody} {
		if status, err := sendBatch(s.url, token, fleet.NewRunID(), body); err != nil || status != 201 {
			t.Fatal(status, err)
		}
	}
	counts(t, s.url, token, countsOf(profile.Merge([]*profile.Profile{before, after})))
	named(t, s.url, token, 4)
	query := func(args ...string) (int, string) {
		t.Helper()
		var out, log bytes.Buffer
		cmd := exec.Command(markgen(t), append([]string{"query", "-server", s.url, "-compare", "*@v1.0.0,*@v1.1.0"}, args...)...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = t.TempDir(), append(os.Environ(), "MARKGEN_TOKEN="+token), &out, &log
		if err := cmd.Run(); cmd.ProcessState == nil {
			t.Fatal(err)
		}
		code := cmd.ProcessState.ExitCode()
		if log.Len() > 0 {
			t.Errorf("%q: %s", args, &log)
		}
		return code, out.String()
	}
	for _, test := range []struct {
		name    string
		code    int
		text    string            // part of the output
		apis    map[string]string // verdict, by name within the package
		only    int               // number of APIs that only the old build has
		changed int
	}{
		{"", 1, "3 APIs compared: 1 slower, 0 faster; 1 only in the old build, 0 only in the new one", map[string]string{"(*Buffer).Write": "unchanged", "(*MyBuffer).Write": "slower", "SteadyA": "unchanged"}, 1, 1},
		{"lib.Steady*", 0, "unchanged", map[string]string{"SteadyA": "unchanged"}, 1, 0},
		{"example.com/lib.(*Buffer).Write", 0, "unchanged", map[string]string{"(*Buffer).Write": "unchanged"}, 0, 0},
		{"lib.(*Buffer).Write", 0, "unchanged", map[string]string{"(*Buffer).Write": "unchanged"}, 0, 0},
		{"MyBuffer.Write", 1, "slower", map[string]string{"(*MyBuffer).Write": "slower"}, 0, 1},
		{"*Buffer.Write", 1, "slower", map[string]string{"(*Buffer).Write": "unchanged", "(*MyBuffer).Write": "slower"}, 0, 1},
	} {
		var args []string
		if test.name != "" {
			args = []string{test.name}
		}
		code, text := query(args...)
		if code != test.code || !strings.Contains(text, test.text) {
			t.Errorf("%q: exit code %d\n%s", test.name, code, text)
		}
		code, text = query(append([]string{"-format", "json"}, args...)...)
		var answer struct {
			APIs    []struct{ Name, Verdict string }
			OnlyOld []any `json:"only_old"`
			Slower  int
			Alpha   float64
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		fits := code == test.code && len(answer.APIs) == len(test.apis) && len(answer.OnlyOld) == test.only && answer.Slower == test.changed && answer.Alpha == 0.05
		for _, a := range answer.APIs {
			fits = fits && test.apis[strings.TrimPrefix(a.Name, "example.com/lib.")] == a.Verdict
		}
		if !fits {
			t.Errorf("%q: exit code %d\n%s", test.name, code, text)
		}
	}
	s.stop()
}
