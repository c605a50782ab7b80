package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// A diffSide is the old or the new side of a comparison by markgen diff.
type diffSide struct {
	name    string // of its folder
	program string
	environ []string // added to the environment
}

// runSides runs both sides n times each, in turn, in dir. The data go to folders of data. The parity
// of trial says which side begins.
func runSides(ctx context.Context, dir, data string, n, trial int, sides [2]diffSide) error {
	for _, s := range sides {
		if err := os.MkdirAll(filepath.Join(data, s.name), 0o777); err != nil {
			return err
		}
	}
	for run := range n {
		for i := range sides {
			s := sides[(run+trial+i)%2]
			env := []string{"MARKGEN=file=" + filepath.Join(data, s.name, fmt.Sprintf("%d.markgen", run))}
			if _, err := output(ctx, dir, append(env, s.environ...), s.program); err != nil {
				return err
			}
		}
	}
	return nil
}

// worse returns the names of the markers that markgen diff with these flags says are worse, given the
// folders old and new of data. Its exit code must say the same.
func (b *bench) worse(ctx context.Context, data string, flags ...string) (names []string, err error) {
	args := slices.Concat([]string{"diff", "-json"}, flags, []string{filepath.Join(data, "old"), "--", filepath.Join(data, "new")})
	cmd := exec.CommandContext(ctx, b.markgen, args...)
	cmd.Env = cleanEnviron()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	exit := (*exec.ExitError)(nil)
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1 && stderr.Len() == 0) {
		return nil, fmt.Errorf("markgen diff: %w\n%s", err, stderr.Bytes())
	}
	var result struct {
		Verdict                 string
		Counts, Shared, Markers []struct{ Name, Verdict string }
	}
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, fmt.Errorf("markgen diff: %w", err)
	}
	for _, m := range slices.Concat(result.Counts, result.Markers, result.Shared) {
		if m.Verdict == "worse" {
			names = append(names, m.Name)
		}
	}
	if (result.Verdict == "worse") != (exit != nil) || (len(names) > 0) != (exit != nil) {
		return nil, fmt.Errorf("markgen diff says %s, %d worse, and its exit code is %v", result.Verdict, len(names), err)
	}
	return names, nil
}
