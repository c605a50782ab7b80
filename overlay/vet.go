package overlay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// defaultVet are the analyzers that go test runs by default. Source: defaultVetFlags in
// cmd/go/internal/test/test.go.
var defaultVet = []string{"atomic", "bool", "buildtags", "directive", "errorsas", "ifaceassert", "nilfunc",
	"printf", "slog", "stringintconv", "tests"}

// vetted has the messages of vet by import path.
type vetted map[string][]string

// vet runs go vet as go test would, on the user's unmarked source: vet might complain about
// statements in marked source, and the runtime's directory, where go would start vet, does not
// exist. Packages that do not type-check are not reported: the compiler will.
func (b *Build) vet(ctx context.Context) (vetted, error) {
	var analyzers []string
	clean := ""
	value, ok := b.plain.Flag("vet")
	switch {
	case value == "off":
		return nil, nil
	case value == "all":
	case !ok || value == "":
		analyzers = defaultVet
		if clean = b.vetMemo(); clean != "" && inUse(clean) {
			return nil, nil
		}
	default:
		analyzers = strings.Split(value, ",")
	}
	words := []string{"vet", "-json"}
	for _, a := range analyzers {
		words = append(words, "-"+a)
	}
	words = append(words, loadFlags(b.plain.BuildFlags())...)
	words = append(words, "--")
	words = append(words, b.plain.Packages()...)
	cmd := goCommand(ctx, b.dir, b.environ, words...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if name, wrong := strings.CutPrefix(stderr.String(), "flag provided but not defined: "); wrong {
		name, _, _ = strings.Cut(name, "\n")
		return nil, fmt.Errorf("invalid value %q for flag -vet: no analyzer %s; run go tool vet help for their names", value, name)
	}
	if err == nil && clean != "" {
		_ = b.cache.write(clean, nil) // failing only makes the next run slower
	}
	return decodeVet(&stdout, b.o.Dir)
}

// vetMemo returns the path of a file that exists if vet's default analyzers found nothing in the
// same source, see memo. It is "" if they may look at more than Go files.
func (b *Build) vetMemo() string {
	if b.state == "" {
		return ""
	}
	for _, p := range b.packages {
		if len(p.CgoFiles) > 0 && !p.Standard {
			return ""
		}
	}
	key := hashOf("vet", b.state)
	return b.cache.memoPath(key)
}

// decodeVet decodes the output of go vet -json: a sequence of objects that map package names to
// analyzer names to findings. File names are shortened as go prints them in dir.
func decodeVet(r io.Reader, dir string) (vetted, error) {
	type diagnostic struct{ Posn, Message string }
	found := vetted{}
	for dec := json.NewDecoder(r); ; {
		var object map[string]map[string]json.RawMessage
		err := dec.Decode(&object)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("go vet: output not understood: %w", err)
		}
		for id, byAnalyzer := range object {
			path, _, _ := strings.Cut(id, " [")
			path = strings.TrimSuffix(path, "_test")
			for _, raw := range byAnalyzer {
				var list []diagnostic
				if json.Unmarshal(raw, &list) != nil {
					continue // {"error": …}: the compiler will report it
				}
				for _, d := range list {
					file, rest := splitPosition(d.Posn)
					line := relativeTo(dir, file) + rest + ": " + d.Message
					if !slices.Contains(found[path], line) {
						found[path] = append(found[path], line)
					}
				}
			}
		}
	}
	for _, lines := range found {
		slices.SortStableFunc(lines, comparePositions)
	}
	return found, nil
}

// splitPosition splits file:line:col after the file.
func splitPosition(pos string) (file, rest string) {
	file = pos
	for range 2 {
		if i := strings.LastIndexByte(file, ':'); i > 0 {
			file = file[:i]
		}
	}
	return file, pos[len(file):]
}

// comparePositions orders messages that begin with file:line:col.
func comparePositions(a, b string) int {
	var an, bn [2]int
	af, ar, _ := strings.Cut(a, ":")
	bf, br, _ := strings.Cut(b, ":")
	_, _ = fmt.Sscanf(ar, "%d:%d", &an[0], &an[1])
	_, _ = fmt.Sscanf(br, "%d:%d", &bn[0], &bn[1])
	return cmp.Or(strings.Compare(af, bf), cmp.Compare(an[0], bn[0]), cmp.Compare(an[1], bn[1]))
}
