package bisect

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/markgen/markgen/tier"
)

// A history is a git repository with commits, the first without parents.
type history struct {
	t       *testing.T
	dir     string
	commits []string // hashes
	parents [][]int
}

// newHistory makes a commit for each list of parents; file returns the content of its a.go.
func newHistory(t *testing.T, parents [][]int, file func(i int) string) *history {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	h := &history{t: t, dir: t.TempDir(), parents: parents}
	var in strings.Builder
	for i, from := range parents {
		text := file(i)
		fmt.Fprintf(&in, "commit refs/heads/main\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", i+1, 1700000000+i)
		for k, p := range from {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[min(k, 1)], p+1)
		}
		fmt.Fprintf(&in, "M 100644 inline a.go\ndata %d\n%s\n", len(text), text)
	}
	h.git("", "init", "-q", "-b", "main")
	h.git(in.String(), "fast-import", "--quiet", "--export-marks=marks")
	at := make([]string, len(parents))
	marks, err := os.ReadFile(h.dir + "/marks")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(marks)) {
		var mark int
		var hash string
		if _, err := fmt.Sscanf(line, ":%d %s", &mark, &hash); err != nil {
			t.Fatal(err)
		}
		at[mark-1] = hash
	}
	h.commits = at
	return h
}

func (h *history) git(stdin string, args ...string) string {
	h.t.Helper()
	out, err := h.run(h.t.Context(), stdin, args...)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *history) run(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin = h.dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n"), err
}

// search makes a search in which the commits from culprit on are new, and returns what was found,
// as indices, and how many commits were asked about.
func (h *history) search(names []string, culprit int, skip func(i int) bool) (found []int, asked int) {
	h.t.Helper()
	last := len(h.commits) - 1
	s, err := Start(h.t.Context(), h.run, h.commits[0], h.commits[last], names)
	if err != nil {
		h.t.Fatal(err)
	}
	for {
		commit := s.Next()
		if commit == "" {
			break
		}
		asked++
		i := slices.Index(h.commits, commit)
		v := Old
		switch {
		case skip(i):
			v = Skip
		case h.contains(i, culprit):
			v = New
		}
		if err := s.Say(h.t.Context(), commit, v); err != nil {
			h.t.Fatal(err)
		}
	}
	for _, commit := range s.Found() {
		found = append(found, slices.Index(h.commits, commit))
	}
	h.git("", "bisect", "reset", "HEAD")
	return found, asked
}

// contains reports whether a commit has another among its ancestors, or is it.
func (h *history) contains(i, ancestor int) bool {
	return i == ancestor || slices.ContainsFunc(h.parents[i], func(p int) bool { return h.contains(p, ancestor) })
}

// linear returns the parents of n commits, one after another.
func linear(n int) [][]int {
	parents := make([][]int, n)
	for i := 1; i < n; i++ {
		parents[i] = []int{i - 1}
	}
	return parents
}

func none(int) bool { return false }

const program = `package m

const rounds = %d

func leaf() int { return %d }

func middle() int { return leaf() }

func top() int { return middle() + rounds }

func other() int { return %d }
%s`

// Among 64 commits, halving takes six; fewer if the source tells of the commit, and few more if the
// source misleads.
func TestSteps(t *testing.T) {
	const n = 64
	for _, tt := range []struct {
		name    string
		file    func(i int) string // content of commit i; commit 40 is the one to find
		culprit int
		most    int
	}{
		{"comments", func(i int) string { return fmt.Sprintf(program, 1, 1, 1, fmt.Sprintf("// %d\n", i)) }, 40, 6},
		{"other code each time", func(i int) string { return fmt.Sprintf(program, 1, 1, i, "") }, 40, 6},
		{"its code", func(i int) string { return fmt.Sprintf(program, 1, i/40, i, "") }, 40, 3},
		{"a constant that what calls it uses", func(i int) string { return fmt.Sprintf(program, i/40, 1, i, "") }, 40, 4},
		{"its code, in another commit", func(i int) string { return fmt.Sprintf(program, 1, i/40, i, "") }, 17, 8},
		{"no Go", func(i int) string { return fmt.Sprint(i) }, 40, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHistory(t, linear(n), tt.file)
			found, asked := h.search([]string{"leaf"}, tt.culprit, none)
			t.Logf("%d asked", asked)
			if !slices.Equal(found, []int{tt.culprit}) || asked > tt.most {
				t.Errorf("found %v, want %d; asked %d times, want %d at most", found, tt.culprit, asked, tt.most)
			}
		})
	}
}

// Every first commit is found, with merges too; if commits can't be measured, it is among those left,
// and the others are such.
func TestSearchMerges(t *testing.T) {
	graphs := 1
	if tier.InCorpus() {
		graphs = 6
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range graphs {
		const n = 24
		parents := [][]int{nil}
		for i := 1; i < n; i++ {
			from := []int{max(0, i-1-rnd.IntN(4))}
			if other := max(0, i-1-rnd.IntN(6)); rnd.IntN(3) == 0 && other != from[0] {
				from = append(from, other)
			}
			parents = append(parents, from)
		}
		h := newHistory(t, parents, func(i int) string { return fmt.Sprintf(program, 1, i/7, i, "") })
		for range 4 {
			culprit := 1 + rnd.IntN(n-1)
			if !h.contains(n-1, culprit) {
				continue
			}
			if found, _ := h.search([]string{"leaf"}, culprit, none); !slices.Equal(found, []int{culprit}) {
				t.Errorf("%v: found %v, want %d", parents, found, culprit)
			}
			skip := func(i int) bool { return i%3 == 0 }
			found, _ := h.search(nil, culprit, skip)
			if !slices.Contains(found, culprit) {
				t.Errorf("%v: found %v, which lacks %d", parents, found, culprit)
			}
			for _, i := range found[:len(found)-1] {
				if !skip(i) {
					t.Errorf("%v: found %v with %d, which can be measured", parents, found, i)
				}
			}
		}
	}
}
