package bisect

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
)

// Git runs git, with the text as its standard input, in a worktree in which no other bisection is
// active. It returns the output without the last newline.
type Git func(ctx context.Context, stdin string, args ...string) (string, error)

// A Verdict says to which end of a search a commit belongs.
type Verdict int

// The verdicts. Skip means that the commit can't be measured.
const (
	Old Verdict = iota
	New
	Skip
)

// String returns the verdict as the term of git bisect.
func (v Verdict) String() string { return [...]string{"old", "new", "skip"}[v] }

// A Search is a bisection between two commits.
type Search struct {
	git     Git
	parents map[string][]string // of the candidates
	weights map[string]int      // of the candidates
	skipped map[string]bool
	newest  string   // the earliest commit known to be new
	left    []string // the candidates, parents first; newest is the last
}

// Start begins a search between two commit hashes. Old must be an ancestor of new, with the old
// figure, and new must have the new one. names are those of the marker's function.
func Start(ctx context.Context, git Git, old, new string, names []string) (*Search, error) {
	s := &Search{git: git, parents: map[string][]string{}, skipped: map[string]bool{}, newest: new}
	if _, err := git(ctx, "", "bisect", "start", "--no-checkout", "--term-old=old", "--term-new=new", new, old); err != nil {
		return nil, err
	}
	graph, err := git(ctx, "", "rev-list", "--parents", new, "^"+old)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(graph) {
		commits := strings.Fields(line)
		s.parents[commits[0]] = commits[1:]
	}
	if s.weights, err = weigh(ctx, git, old, new, names); err != nil {
		return nil, err
	}
	return s, s.settle(ctx)
}

// Suspects returns the number of commits that change the code of the marker's function, or of what
// it uses or is used by.
func (s *Search) Suspects() (n int) {
	for _, c := range s.left {
		if s.weights[c] >= suspect {
			n++
		}
	}
	return n
}

// settle asks git for the commits that are left.
func (s *Search) settle(ctx context.Context) error {
	list, err := s.git(ctx, "", "rev-list", "--topo-order", "--reverse", "refs/bisect/new", "--not", "--glob=refs/bisect/old-*")
	s.left = strings.Fields(list)
	if err == nil && len(s.left) == 0 {
		err = fmt.Errorf("git bisect has no commit left; an old commit contains %s", s.newest)
	}
	return err
}

// Left returns the number of commits of which one is the first new one.
func (s *Search) Left() int { return len(s.left) }

// Steps returns how many more commits a search among n commits takes by halving.
func Steps(n int) int { return bits.Len(uint(max(n-1, 0))) }

// Next returns the next commit to measure, or "" if the search has ended: that which splits the
// weight of those left most evenly.
func (s *Search) Next() (next string) {
	at := map[string]int{}
	total, most := 0, 0
	for i, c := range s.left {
		at[c] = i
		total += s.weight(c)
	}
	for i, c := range s.left {
		if c == s.newest || s.skipped[c] {
			continue
		}
		sum := 0
		seen := make([]bool, len(s.left))
		for stack := []int{i}; len(stack) > 0; {
			k := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if seen[k] {
				continue
			}
			seen[k] = true
			sum += s.weight(s.left[k])
			for _, parent := range s.parents[s.left[k]] {
				if k, ok := at[parent]; ok {
					stack = append(stack, k)
				}
			}
		}
		if even := min(sum, total-sum); even > most {
			next, most = c, even
		}
	}
	return next
}

func (s *Search) weight(commit string) int { return max(1, s.weights[commit]) }

// Say records the verdict on a commit.
func (s *Search) Say(ctx context.Context, commit string, v Verdict) error {
	switch v {
	case Skip:
		s.skipped[commit] = true
	case New:
		s.newest = commit
	}
	_, err := s.git(ctx, "", "bisect", v.String(), commit)
	if err != nil && len(s.skipped) == 0 { // it also fails if only skipped commits are left
		return err
	}
	return s.settle(ctx)
}

// Found returns the first new commit, after Next has returned "". It is one of several if commits in
// between were skipped.
func (s *Search) Found() []string { return s.left }
