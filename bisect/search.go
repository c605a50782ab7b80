package bisect

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
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
	ranks   map[string]rank     // of the candidates
	skipped map[string]bool
	newest  string   // the earliest commit known to be new
	left    []string // the candidates, parents first; newest is the last
}

// Start begins a search between two commit hashes. Old must be an ancestor of new, with the old
// figure, and new must have the new one. names are the functions of the marker, as suspects.
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
	if s.ranks, err = rankCommits(ctx, git, old, new, names); err != nil {
		return nil, err
	}
	return s, s.settle(ctx)
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

// Next returns the next commit to measure, or "" if the search has ended.
func (s *Search) Next(ctx context.Context) (string, error) {
	if len(s.open(s.left)) == 0 {
		return "", nil
	}
	for r := related; r > unlikely; r-- {
		suspects := slices.DeleteFunc(slices.Clone(s.left), func(c string) bool { return s.ranks[c] != r || s.skipped[c] })
		if len(suspects) == 0 {
			continue
		}
		// If it is the only one, it is the first new commit unless its parent is new.
		suspect := suspects[(len(suspects)-1)/2]
		if suspect != s.newest {
			return suspect, nil
		}
		if parents := s.open(s.parents[suspect]); len(parents) > 0 {
			return parents[0], nil
		}
	}
	return s.git(ctx, "", "rev-parse", "--verify", "BISECT_HEAD")
}

// open returns the commits that may be measured.
func (s *Search) open(commits []string) (list []string) {
	for _, c := range commits {
		if c != s.newest && !s.skipped[c] && slices.Contains(s.left, c) {
			list = append(list, c)
		}
	}
	return list
}

// Say records the verdict on a commit.
func (s *Search) Say(ctx context.Context, commit string, v Verdict) error {
	_, err := s.git(ctx, "", "bisect", v.String(), commit)
	switch {
	case v == Skip:
		// git bisect fails if it has none left but skipped ones.
		s.skipped[commit] = true
		return nil
	case err != nil:
		return err
	case v == New:
		s.newest = commit
	}
	return s.settle(ctx)
}

// Found returns the first new commit. After a search with skipped commits it may be any of several.
func (s *Search) Found() []string { return s.left }
