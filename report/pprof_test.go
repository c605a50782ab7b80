package report_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/markgen/markgen/golden"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/report/reporttest"
	"github.com/markgen/markgen/runtime/layout"
)

// readPprof writes the profile in pprof's format and reads it back.
func readPprof(t *testing.T, p *profile.Profile) *pprof.Profile {
	t.Helper()
	got, err := pprof.ParseData([]byte(reporttest.Write(t, p, report.Options{Format: "pprof"})))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.CheckValid(); err != nil {
		t.Error(err)
	}
	return got
}

func TestPprofGolden(t *testing.T) {
	noSelf := reporttest.Demo()
	noSelf.Flags = layout.FlagNoSelf
	killed := reporttest.Demo()
	killed.Killed, killed.Lost = true, 3
	for _, tt := range []struct {
		file string
		p    *profile.Profile
	}{
		{"pprof.txt", reporttest.Parse(t, reporttest.Demo())},
		{"pprof-noself.txt", reporttest.Parse(t, noSelf)},
		{"pprof-killed.txt", reporttest.Parse(t, killed)},
		{"pprof-callers.txt", reporttest.Family()},
		{"pprof-nothing.txt", &profile.Profile{}},
		{"pprof-paths.txt", reporttest.WithPaths(t)},
		{"pprof-paths-recursive.txt", recursive()},
	} {
		t.Run(tt.file, func(t *testing.T) {
			golden.Check(t, tt.file, readPprof(t, tt.p).String())
		})
	}
}

// pprofTool builds the program that go tool pprof starts, in a directory that TestMain removes, so
// that a test can kill it. go tool ignores GOFLAGS and would recompile the libraries it needs.
var pprofTool = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "markgen-report-")
	if err != nil {
		return "", err
	}
	tool := filepath.Join(dir, "pprof.exe")
	if out, err := exec.Command("go", "build", "-o", tool, "cmd/pprof").CombinedOutput(); err != nil {
		return tool, fmt.Errorf("go build cmd/pprof: %v\n%s", err, out)
	}
	return tool, nil
})

var pprofBuilt bool

func TestMain(m *testing.M) {
	code := m.Run()
	if pprofBuilt {
		tool, _ := pprofTool()
		os.RemoveAll(filepath.Dir(tool))
	}
	os.Exit(code)
}

// pprofCommand returns go tool pprof in a directory with the profile and its source, in which each
// line contains its number.
func pprofCommand(t *testing.T, p *profile.Profile, args ...string) *exec.Cmd {
	t.Helper()
	pprofBuilt = true
	tool, err := pprofTool()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var source strings.Builder
	for line := range 80 {
		fmt.Fprintf(&source, "line %d\n", line+1)
	}
	for name, text := range map[string]string{"profile.pb.gz": reporttest.Write(t, p, report.Options{Format: "pprof"}), "family.go": source.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, append(args, "profile.pb.gz")...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PPROF_TMPDIR="+dir)
	return cmd
}

// The output of go tool pprof for the profile.
func TestPprofTool(t *testing.T) {
	for _, tt := range []struct{ file, args string }{
		{"top", "-top -nodefraction=0"},
		{"top-count", "-top -sample_index=count -nodefraction=0"},
		{"top-total", "-top -sample_index=total -nodefraction=0"},
		{"traces", "-traces"},
		{"raw", "-raw"},
		{"peek", "-peek=query$"},
		{"list", "-list=family.query"},
		{"tags", "-tags"},
		{"loops", "-top -tagfocus=kind=loop"},
		{"comments", "-comments"},
		{"paths-tree", "-tree -nodefraction=0"},
		{"paths-total", "-tree -sample_index=total -nodefraction=0"},
		{"paths-peek", "-peek=Total:for#1$"},
		{"paths-alloc", "-top -sample_index=alloc_space"},
		{"paths-label", "-top -tagfocus=label=/cart -nodefraction=0"},
	} {
		t.Run(tt.file, func(t *testing.T) {
			p := reporttest.Family()
			if strings.HasPrefix(tt.file, "paths-") {
				p = reporttest.WithPaths(t)
			}
			cmd := pprofCommand(t, p, strings.Fields(tt.args)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			if err != nil || stderr.Len() > 0 {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			text := strings.ReplaceAll(string(out), cmd.Dir, "DIR")
			text = strings.ReplaceAll(text, "\t", " ")
			golden.Check(t, "pprof-tool/"+tt.file+".txt", "go tool pprof "+tt.args+"\n"+text)
		})
	}
}

// The pages of go tool pprof -http.
func TestPprofHTTP(t *testing.T) {
	addr := freeAddr(t)
	p := reporttest.Family()
	cmd := pprofCommand(t, p, "-http="+addr, "-no_browser")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("pprof said\n%s", stderr.String())
		}
	})
	for _, page := range []string{"/ui/top", "/ui/flamegraph", "/ui/flamegraph?si=total", "/ui/peek?f=query"} {
		body := fetch(t, "http://"+addr+page)
		for i := range p.Markers {
			name := p.Markers[i].Name
			if strings.Contains(page, "query") && !strings.Contains(name, "query") {
				continue
			}
			if !strings.Contains(body, name) {
				t.Errorf("%s does not have %s", page, name)
			}
		}
		if !strings.Contains(body, "family") {
			t.Errorf("%s does not name the program", page)
		}
	}
	if body := fetch(t, "http://"+addr+"/ui/source?f=query"); !strings.Contains(body, "line 52") {
		t.Error("the source is not shown")
	}
}

// freeAddr returns a local address at which nothing listens.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// fetch gets a page from a server that may still be starting.
func fetch(t *testing.T, url string) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		res, err := http.Get(url)
		if err != nil {
			if time.Now().Before(deadline) {
				continue
			}
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v\n%s", url, res.Status, err, body)
		}
		return string(body)
	}
}

// Impossible callers, as in a file that is damaged or read while it is being written, do not change
// the marker's own values.
func TestPprofOddCallers(t *testing.T) {
	under := func(from registry.ID, n, self uint64) profile.Caller {
		return profile.Caller{ID: from, Name: "x.F", Marker: profile.Marker{Count: n, SelfNS: self}}
	}
	p := &profile.Profile{}
	add := func(kind, name string, callers ...profile.Caller) {
		m := reporttest.Figures(10, 100, 500)
		m.ID, m.Name, m.Kind, m.Callers = registry.ID(len(p.Markers)+1), name, kind, callers
		p.Markers = append(p.Markers, m)
	}
	add("func", "x.A", under(2, 10, 500)) // each is the only caller of the other
	add("func", "x.B", under(1, 10, 500))
	add("func", "x.C", under(3, 10, 500))                    // its own caller
	add("func", "x.D", under(1, 8, 700), under(2, 8, 1))     // more than its own values
	add("func", "x.E", under(1, 0, 0))                       // zero
	add("func", "x.F", under(99, 3, 20), under(99, 4, 30))   // duplicate, and not in the profile
	add("loop", "x.F:for#1", under(0, 10, 500))              // without a caller, but in a function
	add("loop", "x.G:for#1", under(7, 2, 100))               // in a function that is not in the profile
	add("func", "x.F", under(8, 10, 500))                    // a second function of that name
	add("loop", "x.F:for#2", under(6, 1, 1), under(7, 1, 1)) // its loops are in either one
	for i := range 2 * 128 {
		add("func", fmt.Sprintf("x.Deep%d", i), under(registry.ID(len(p.Markers)), 10, 500))
	}
	deepest := 0
	for _, s := range readPprof(t, p).Sample {
		deepest = max(deepest, len(s.Location))
	}
	if deepest < 100 || deepest > 130 {
		t.Errorf("the deepest stack has %d frames", deepest)
	}
	checkNumbers(t, p, report.Options{Format: "pprof"}, readPprofNumbers(t, p, ""), exact, 0, true)
}
