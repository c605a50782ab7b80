package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/markgen/markgen/tier"
)

// An action is action.yml, as far as the test needs it.
type action struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct {
		Using string
		Steps []struct {
			ID, If, Uses, Run, Shell string
			Env, With                map[string]string
		}
	}
}

// expression is a GitHub expression that names one value.
var expression = regexp.MustCompile(`\$\{\{ ([a-z_.]+) \}\}`)

// TestAction runs the steps of the GitHub Action, save those of other actions, in a shallow clone of
// a local repository, without the network.
func TestAction(t *testing.T) {
	tier.Test(t)
	if _, err := exec.LookPath("git"); err != nil || runtime.GOOS == "windows" {
		t.Skip("it takes git and a POSIX shell")
	}
	text, err := os.ReadFile(filepath.Join(checkout, "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	for name, input := range a.Inputs {
		if !bytes.Contains(text, []byte("${{ inputs."+name+" }}")) || input.Description == "" {
			t.Errorf("input %s is not used, or not described", name)
		}
	}
	r := newActionRepository(t)
	for _, tt := range []struct {
		name   string
		head   string // branch that is checked out
		inputs map[string]string
		code   int
		says   []string // on standard output
		shows  []string // in the summary; nil if there is none
		worse  string
	}{
		{"more calls", "more", nil, 1,
			[]string{"::error title=markgen::Something got worse: see the summary of the job"},
			[]string{"## Performance of ", "| **worse** | `example.com/m.double` | scopes | 1,020 | 1,530 | +50.0% | `a.go:3` |"}, "true"},
		{"more calls, no gate", "more", map[string]string{"gate": "none"}, 0, nil, []string{"**worse**"}, "false"},
		{"as much", "comment", nil, 0, nil, []string{"0 worse"}, "false"},
		{"only a test fails", "fails", nil, 2, []string{"--- FAIL: TestSum", "::error title=markgen::the base or the head does not build"}, nil, ""},
		{"no such base", "more", map[string]string{"base": "0123456789012345678901234567890123456789"}, 2,
			[]string{"::error title=markgen::the base 0123456789012345678901234567890123456789 can't be fetched; check out with fetch-depth: 0"}, nil, ""},
		{"no base", "more", map[string]string{"base": ""}, 2, []string{"::error title=markgen::there is no base; set base"}, nil, ""},
		{"no such gate", "more", map[string]string{"gate": "time"}, 2, []string{"::error title=markgen::gate is time; it is counts, all or none"}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.shows != nil && tt.name != "more calls" || tt.head == "fails" { // builds
				tier.Corpus(t)
			}
			j := r.check(t, tt.head)
			values := map[string]string{"runner.temp": j.temp, "github.action_path": checkout}
			for name, input := range a.Inputs {
				values["inputs."+name] = input.Default
			}
			values["inputs.runs"] = "4"
			values["inputs.base"] = r.base
			for name, value := range tt.inputs {
				values["inputs."+name] = value
			}
			fill := func(text string) string {
				return expression.ReplaceAllStringFunc(text, func(e string) string {
					value, ok := values[expression.FindStringSubmatch(e)[1]]
					if !ok && strings.Contains(e, ".inputs.") {
						t.Errorf("%s: no such input", e)
					}
					return value
				})
			}
			ran := 0
			for _, step := range a.Runs.Steps {
				if step.Uses != "" {
					if !strings.HasPrefix(step.Uses, "actions/") {
						t.Errorf("it uses %s, which is not GitHub's", step.Uses)
					}
					continue
				}
				ran++
				var env []string
				for key, value := range step.Env {
					env = append(env, key+"="+fill(value))
				}
				out, code := j.run(t, step.Shell, step.Run, env)
				if code != tt.code {
					t.Errorf("exit code %d, want %d\n%s", code, tt.code, out)
				}
				for _, want := range tt.says {
					if !strings.Contains(out, want) {
						t.Errorf("no %q in\n%s", want, out)
					}
				}
			}
			if ran != 1 {
				t.Errorf("%d steps ran, want 1", ran)
			}
			summary := j.read("summary")
			for _, want := range tt.shows {
				if !strings.Contains(summary, want) {
					t.Errorf("no %q in the summary\n%s", want, summary)
				}
			}
			if (summary != "") != (tt.shows != nil) {
				t.Errorf("the summary is %q", summary)
			}
			if worse := strings.TrimSpace(strings.TrimPrefix(j.read("output"), "worse=")); worse != tt.worse {
				t.Errorf("worse=%s, want %s", worse, tt.worse)
			}
			if tt.shows == nil {
				return
			}
			for _, name := range []string{"old/run-001.markgen", "new/run-004.markgen", "summary.md", "change.html"} {
				if _, err := os.Stat(filepath.Join(j.temp, "markgen", name)); err != nil {
					t.Errorf("not in the artifact: %v", err)
				}
			}
			if status := r.git(t, j.dir, "status", "--porcelain") + r.git(t, j.dir, "worktree", "list"); strings.Count(status, "\n") != 1 {
				t.Errorf("the checkout has %s", status)
			}
		})
	}
}

// An actionRepository is a bare repository with a base and branches.
type actionRepository struct {
	dir  string
	env  []string
	base string // commit of the branch main
}

func newActionRepository(t *testing.T) *actionRepository {
	r := &actionRepository{dir: t.TempDir()}
	kept, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(kept))
	r.env = append(os.Environ(), "HOME="+r.dir, "GIT_CONFIG_GLOBAL="+filepath.Join(r.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GOCACHE="+caches[0], "GOMODCACHE="+caches[1], "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOWORK=", "MARKGEN=")
	write := func(name, text string) {
		name = filepath.Join(r.dir, "seed", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	const source = `package m

func double(n int) int { return 2 * n }

func Sum() (sum int) {
	for i := range 10 {
		sum += double(i)
	}
	return sum
}
`
	write("../gitconfig", "[user]\n\tname = Gopher\n\temail = gopher@example.com\n[init]\n\tdefaultBranch = main\n")
	write("go.mod", "module example.com/m\n\ngo 1.26\n")
	write("a.go", source)
	write("a_test.go", "package m\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum() < 50 {\n\t\tt.Error(Sum())\n\t}\n}\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor range b.N {\n\t\tSum()\n\t}\n}\n")
	seed := filepath.Join(r.dir, "seed")
	r.git(t, seed, "init", "-q")
	r.git(t, seed, "add", ".")
	r.git(t, seed, "commit", "-qm", "base")
	r.base = strings.TrimSpace(r.git(t, seed, "rev-parse", "HEAD"))
	for branch, text := range map[string]string{
		"more":    strings.Replace(source, "range 10", "range 15", 1),
		"comment": source + "\n// The end.\n",
		"fails":   strings.Replace(source, "range 10", "range 5", 1),
	} {
		r.git(t, seed, "checkout", "-q", "-b", branch, "main")
		write("a.go", text)
		r.git(t, seed, "commit", "-qam", branch)
	}
	r.git(t, r.dir, "clone", "-q", "--bare", "seed", "origin.git")
	return r
}

func (r *actionRepository) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, r.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A job has a shallow clone of a branch, and what GitHub gives to a step.
type job struct {
	r         *actionRepository
	dir, temp string
}

func (r *actionRepository) check(t *testing.T, branch string) *job {
	dir := t.TempDir()
	j := &job{r, filepath.Join(dir, "work"), filepath.Join(dir, "temp")}
	r.git(t, dir, "clone", "-q", "--depth=1", "--branch="+branch, "file://"+filepath.Join(r.dir, "origin.git"), "work")
	if err := os.Mkdir(j.temp, 0o777); err != nil {
		t.Fatal(err)
	}
	return j
}

// run runs a step as GitHub's runner does.
func (j *job) run(t *testing.T, shell, script string, env []string) (output string, code int) {
	t.Helper()
	file := filepath.Join(j.temp, "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(shell, "-e", file)
	cmd.Dir = j.dir
	cmd.Env = slices.Concat(j.r.env, env, []string{"GITHUB_ACTIONS=true", "RUNNER_TEMP=" + j.temp,
		"GITHUB_STEP_SUMMARY=" + filepath.Join(j.temp, "summary"), "GITHUB_OUTPUT=" + filepath.Join(j.temp, "output")})
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// read returns a file that the step may have written.
func (j *job) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(j.temp, name))
	return string(text)
}
