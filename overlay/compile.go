package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A CompileError has the messages of the compiler, or of go, about packages that do not build:
// lines "file:line:col: message".
type CompileError struct{ Lines []string }

func (e *CompileError) Error() string { return strings.Join(e.Lines, "\n") }

// Compile compiles the packages and their tests with the user's flags, but does not link them.
// replace is an overlay: texts by absolute path, nil for a file that is to be missing. The error is
// a *CompileError if a package or one of its imports does not build, and a *GoError if go fails
// otherwise.
func Compile(ctx context.Context, o ListOptions, replace map[string][]byte) error {
	name, written, clean, err := writeOverlay(replace)
	if err != nil {
		return err
	}
	defer clean()
	own := written.restorer(o.Dir)
	args := []string{"list", "-e", "-test", "-export", "-json=ImportPath,Error,DepsErrors", "-overlay=" + name}
	args = append(args, loadFlags(o.BuildFlags)...)
	args = append(append(args, "--"), o.Patterns...)
	var lines []string
	seen := map[string]bool{}
	err = goStream(ctx, o.Dir, o.Environ, args, func(out io.Reader) error {
		for dec := json.NewDecoder(out); ; {
			var p struct {
				Error      *PackageError
				DepsErrors []*PackageError // errors in dependencies, because of which it was not compiled
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return fmt.Errorf("go list: output not understood: %w", err)
			}
			if p.Error != nil {
				p.DepsErrors = append(p.DepsErrors, p.Error)
			}
			for _, e := range p.DepsErrors {
				for _, l := range strings.Split(strings.TrimSpace(e.Error()), "\n") {
					if l = own.Replace(l); !strings.HasPrefix(l, "# ") && !seen[l] {
						seen[l] = true
						lines = append(lines, l)
					}
				}
			}
		}
	})
	if err == nil && len(lines) > 0 {
		err = &CompileError{lines}
	}
	return err
}

// writeOverlay writes texts, and an overlay file that names them, to a temporary directory. clean
// removes the directory.
func writeOverlay(texts map[string][]byte) (name string, r replacements, clean func(), err error) {
	dir, err := os.MkdirTemp("", "markgen-compile-")
	if err != nil {
		return "", nil, nil, fmt.Errorf("%w; set TMPDIR to a directory that can be written to", err)
	}
	clean = func() { _ = os.RemoveAll(dir) }
	r = replacements{}
	for path, text := range texts {
		if r[path] = ""; text == nil {
			continue
		}
		to := filepath.Join(dir, strconv.Itoa(len(r))+".go")
		if err := os.WriteFile(to, text, 0o600); err != nil {
			clean()
			return "", nil, nil, err
		}
		r[path] = to
	}
	name = filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, r.marshal(), 0o600); err != nil {
		clean()
		return "", nil, nil, err
	}
	return name, r, clean, nil
}

// restorer replaces the names of overlay texts with the names that the user knows. Go prints either
// name, relative to dir if that is shorter.
func (r replacements) restorer(dir string) *strings.Replacer {
	var pairs []string
	for path, to := range r {
		if to == "" {
			continue
		}
		shown := relativeTo(dir, path)
		if rel, err := filepath.Rel(dir, to); err == nil {
			pairs = append(pairs, "."+string(filepath.Separator)+rel+":", shown+":", rel+":", shown+":")
		}
		pairs = append(pairs, to+":", shown+":")
	}
	return strings.NewReplacer(pairs...)
}
