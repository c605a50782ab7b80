package overlay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/markgen/markgen/fileread"
)

// embedded is the content of an embedcfg, with which go tells the compiler which files to embed
// (cmd/go/internal/work/exec.go, Builder.build; cmd/compile/internal/base/flag.go, readEmbedCfg):
// the files' names for each pattern, and the path of each file.
type embedded struct {
	Patterns map[string][]string
	Files    map[string]string
}

// readEmbedded reads an embedcfg.
func readEmbedded(name string) (*embedded, error) {
	text, err := fileread.File(name)
	if err != nil {
		return nil, err
	}
	e := new(embedded)
	if err := json.Unmarshal(text, e); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// embeddedSource returns the Go source files that packages embed.
func embeddedSource(packages []*Package) (files []string) {
	for _, p := range packages {
		for _, name := range slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles) {
			if filepath.Ext(name) == ".go" {
				files = append(files, filepath.Join(p.Dir, filepath.FromSlash(name)))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// tellEmbedded appends a hash of the original content to the overlay text of each embedded source
// file. embedPlain makes the compiler embed the original, but go decides what to recompile by the
// overlay text alone, in which changes of comments would not show.
func (c *Cache) tellEmbedded(all, user replacements, files []string) error {
	for _, name := range files {
		to := all[name]
		if to == "" || to == user[name] {
			continue
		}
		own, err := fileread.File(cmp.Or(user[name], name))
		if err != nil {
			return err
		}
		text, err := fileread.File(to)
		if err != nil {
			return err
		}
		if all[name], err = c.text(fmt.Appendf(text, "\n// Of %s.\n", hashOf(string(own))), ".go"); err != nil {
			return err
		}
	}
	return nil
}

// embedPlain changes a compiler's arguments so that the program embeds the original source files
// instead of those in the overlay. A file that exists only in the overlay is not embedded; files in
// the user's own overlay still apply.
func embedPlain(args []string, overlay, user string) ([]string, error) {
	i := slices.Index(args, "-embedcfg") + 1
	if i == 0 || i == len(args) {
		return args, nil
	}
	e, err := readEmbedded(args[i])
	if err != nil {
		return nil, err
	}
	all, err := readReplacements(overlay, "")
	if err != nil {
		return nil, err
	}
	own, err := readReplacements(user, "")
	if err != nil {
		return nil, err
	}
	if !e.plain(all, own) {
		return args, nil
	}
	text, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	name := args[i] + ".plain"
	if err := os.WriteFile(name, text, 0o666); err != nil {
		return nil, err
	}
	args = slices.Clone(args)
	args[i] = name
	return args, nil
}

// plain undoes the effect of the overlay, except for the user's, on the files to embed, and reports
// whether that changed anything.
func (e *embedded) plain(all, user replacements) (changed bool) {
	from := map[string]string{}
	for name, to := range all {
		if to != "" && user[name] != to {
			from[to] = name
		}
	}
	for name, at := range e.Files {
		was, ok := from[at]
		if !ok {
			continue
		}
		changed = true
		if to := user[was]; to != "" {
			was = to
		}
		if _, err := os.Stat(was); err == nil {
			e.Files[name] = was
			continue
		}
		delete(e.Files, name)
		for pattern, names := range e.Patterns {
			e.Patterns[pattern] = slices.DeleteFunc(names, func(n string) bool { return n == name })
		}
	}
	return changed
}
