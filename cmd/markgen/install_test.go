package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/internal/modproxy"
	rt "github.com/markgen/markgen/runtime"
	"github.com/markgen/markgen/tier"
)

// installed simulates a user's machine: it has its own module cache, and a proxy with the modules
// of the checkout as v0.1.0, and other modules from the local module cache or the network.
type installed struct {
	t       *testing.T
	dir     string
	environ []string
}

func newInstalled(t *testing.T) *installed {
	t.Helper()
	tier.Corpus(t)
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	if err := modproxy.Write(proxy, "../..", "v0.1.0"); err != nil {
		t.Skipf("no proxy can be made, as it takes a git checkout: %v", err)
	}
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, others, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return &installed{t, dir, append(os.Environ(), "GOFLAGS=-modcacherw", "GOWORK=off", "GOSUMDB=off",
		"GOPROXY="+strings.Join([]string{"file://" + proxy, "file://" + filepath.Join(cache, "cache", "download"), others}, ","),
		"GOMODCACHE="+filepath.Join(dir, "mod"), "GOBIN="+filepath.Join(dir, "bin"), "MARKGEN=",
		"PATH="+filepath.Join(dir, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))}
}

// run runs a command in a folder, and returns what it printed.
func (i *installed) run(dir, name string, args ...string) string {
	i.t.Helper()
	if filepath.Base(name) == name && name != "go" {
		name = filepath.Join(i.dir, "bin", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join(i.dir, dir), append(i.environ, "PWD="+filepath.Join(i.dir, dir))
	out, err := cmd.CombinedOutput()
	if err != nil {
		i.t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// write writes a file.
func (i *installed) write(name, text string) {
	i.t.Helper()
	name = filepath.Join(i.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		i.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		i.t.Fatal(err)
	}
}

// The commands are installed with go install; markgen init requires only the runtime, and changes
// no other version.
func TestInstall(t *testing.T) {
	i := newInstalled(t)
	i.write("empty/x", "")
	i.run("empty", "go", "install", modproxy.Modules["."]+"/cmd/markgen@v0.1.0")
	i.run("empty", "go", "install", modproxy.Modules["service"]+"/cmd/markgend@v0.1.0")
	for _, name := range []string{"markgen", "markgend"} {
		if out := i.run("empty", name, "version"); !strings.HasPrefix(out, name+" v0.1.0 go1.") {
			t.Errorf("%s version prints %q", name, out)
		}
	}
	// markgen serve starts markgend.
	if out := i.run("empty", "markgen", "token", "add", "-db", "fleet.db", "x"); !strings.Contains(out, "mg_") {
		t.Errorf("markgen token prints %q", out)
	}

	i.write("service/main.go", `package main

import (
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
)

//perf:mark
func work() { otel.Tracer("x"); prometheus.NewRegistry() }

func main() { work() }
`)
	i.write("service/go.mod", "module example.com/service\n\ngo 1.24.0\n")
	i.run("service", "go", "get", "go.opentelemetry.io/otel@v1.33.0", "github.com/prometheus/client_golang@v1.20.0")
	i.run("service", "go", "mod", "tidy")
	before := i.lines("service/go.mod")
	if out := i.run("service", "markgen", "init"); out != "go.mod: require github.com/markgen/markgen/runtime v0.1.0\n" {
		t.Errorf("init prints %q", out)
	}
	i.run("service", "markgen", ".")
	i.run("service", "go", "vet", ".")
	i.run("service", "go", "mod", "tidy")
	after := i.lines("service/go.mod")
	more := slices.DeleteFunc(slices.Clone(after), func(line string) bool { return slices.Contains(before, line) })
	if len(after) != len(before)+1 || len(more) != 1 || more[0] != "github.com/markgen/markgen/runtime v0.1.0" {
		t.Errorf("go.mod has besides %q", more)
	}
	i.environ = append(i.environ, "MARKGEN=report=stderr")
	if out := i.run("service", "go", "run", "."); !strings.Contains(out, "example.com/service.work") {
		t.Errorf("it reports %q", out)
	}
}

// The command can be a tool dependency of a module, which then requires only what the command
// needs.
func TestInstallTool(t *testing.T) {
	i := newInstalled(t)
	i.write("m/go.mod", "module example.com/m\n\ngo 1.26.0\n")
	i.write("m/m.go", "package m\n")
	i.run("m", "go", "get", "-tool", modproxy.Modules["."]+"/cmd/markgen@v0.1.0")
	if out := i.run("m", "go", "tool", "markgen", "version"); !strings.HasPrefix(out, "markgen v0.1.0 go1.") {
		t.Errorf("markgen version prints %q", out)
	}
	indirect := slices.DeleteFunc(i.lines("m/go.mod"), func(line string) bool { return !strings.HasSuffix(line, "// indirect") })
	t.Logf("%d indirect requirements", len(indirect))
	if len(indirect) > 25 {
		t.Errorf("%d indirect requirements, want 25 at most:\n%s", len(indirect), strings.Join(indirect, "\n"))
	}
	i.requiresNone("m")
	// go mod tidy needs the tests of the packages that are built, too.
	before := len(i.lines("m/go.mod"))
	i.run("m", "go", "mod", "tidy")
	if after := i.lines("m/go.mod"); len(after) != before {
		t.Errorf("go mod tidy changes the %d lines of go.mod to %q", before, after)
	}
	i.requiresNone("m")
}

// A program with markers requires the runtime, which requires nothing.
func TestInstallRuntime(t *testing.T) {
	i := newInstalled(t)
	i.write("m/go.mod", "module example.com/m\n\ngo "+rt.GoVersion+".0\n")
	i.write("m/m.go", "package m\n\nimport _ \""+modproxy.Modules["runtime"]+"/perf\"\n")
	i.run("m", "go", "get", modproxy.Modules["runtime"]+"@v0.1.0")
	i.run("m", "go", "mod", "tidy")
	i.requiresNone("m")
	for line := range strings.Lines(i.run("m", "go", "mod", "graph")) {
		if from, to, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(from, modproxy.Modules["runtime"]) && !strings.HasPrefix(to, "go@") {
			t.Errorf("the runtime requires %s", to)
		}
	}
}

// Nothing is required for tests alone, but for two small modules that most packages are tested with.
func TestRequirements(t *testing.T) {
	for dir, command := range map[string]string{"../..": "./cmd/markgen", "../../service": "./cmd/markgend"} {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.ParseLax("go.mod", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", command)
		list.Dir = dir
		linked, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		used := append(strings.Fields(string(linked)), "github.com/google/go-cmp", "github.com/rogpeppe/go-internal")
		for _, r := range file.Require {
			if !r.Indirect && !slices.Contains(used, r.Mod.Path) {
				t.Errorf("%s/go.mod requires %s, which the command does not link; tests that need it belong to tests/", dir, r.Mod.Path)
			}
		}
	}
}

// requiresNone checks that our modules do not make a user's module require what only the service, tests
// and tools need.
func (i *installed) requiresNone(dir string) {
	i.t.Helper()
	graph, sums := i.run(dir, "go", "mod", "graph"), ""
	if text, err := os.ReadFile(filepath.Join(i.dir, dir, "go.sum")); err == nil {
		sums = string(text)
	}
	for _, path := range []string{
		"honnef.co/go/tools", "github.com/golangci/misspell", // make lint
		"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "github.com/getkin/kin-openapi", "go.opentelemetry.io/collector/pdata", // tests
		"github.com/prometheus/client_model", "github.com/prometheus/common", "github.com/munnerz/goautoneg",
		"github.com/prometheus/client_golang", "go.opentelemetry.io/otel", "modernc.org/sqlite", "github.com/jackc/pgx/v5", // the service
	} {
		if found := regexp.MustCompile(`(?m)^.* ` + regexp.QuoteMeta(path) + `@.*`).FindString(graph); found != "" {
			i.t.Errorf("%s: it is required: %s", dir, found)
		}
		if strings.Contains(sums, path+" ") {
			i.t.Errorf("%s: go.sum has %s", dir, path)
		}
	}
	// golang.org/x/perf requires these, for commands of its own.
	for _, path := range []string{"google.golang.org/grpc", "google.golang.org/protobuf"} {
		if found := regexp.MustCompile(`(?m)^github\.com/markgen/\S+ ` + regexp.QuoteMeta(path) + `@.*`).FindString(graph); found != "" {
			i.t.Errorf("%s: it is required: %s", dir, found)
		}
	}
}

// A program that was marked in place builds and runs with the Go release in the runtime's go.mod.
func TestLowestGo(t *testing.T) {
	tier.Corpus(t)
	m := newMarked(t)
	m.write("go.mod", "module example.com/old\n\ngo "+rt.GoVersion+"\n")
	m.write("main.go", "package main\n\n//perf:mark\nfunc work() {}\n\nfunc main() { work() }\n")
	m.markgen("init")
	m.markgen(".")
	for _, toolchain := range []string{"go" + rt.GoVersion + ".12", "local"} {
		cmd := exec.Command("go", "run", ".")
		cmd.Dir, cmd.Env = m.dir, m.environ("GOTOOLCHAIN="+toolchain, "MARKGEN=report=stderr", "GOPROXY=", "GOSUMDB=")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "example.com/old.work") {
			t.Errorf("%s: %v\n%s", toolchain, err, out)
		}
	}
}

// lines returns the lines of a go.mod that require a module or a version.
func (i *installed) lines(name string) (lines []string) {
	i.t.Helper()
	text, err := os.ReadFile(filepath.Join(i.dir, filepath.FromSlash(name)))
	if err != nil {
		i.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "require ")
		if strings.Contains(line, " v") || strings.HasPrefix(line, "go ") || strings.HasPrefix(line, "toolchain ") {
			lines = append(lines, line)
		}
	}
	return lines
}
