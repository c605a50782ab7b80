package overlay

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/markgen/markgen/fileread"
)

// replacements is the content of an overlay file: it maps the path of a file to the path of its
// text, or to "" if the file is to appear deleted.
type replacements map[string]string

type overlayJSON struct{ Replace replacements }

// readReplacements reads the user's overlay file; "" is none. Relative paths in it are relative to
// dir, where go runs; the returned paths are absolute.
func readReplacements(name, dir string) (replacements, error) {
	if name == "" {
		return replacements{}, nil
	}
	text, err := fileread.Named(absolute(dir, name))
	if err != nil {
		return nil, fmt.Errorf("reading overlay: %w", err)
	}
	return parseReplacements(name, text, dir)
}

// parseReplacements parses text, the content of the overlay file name.
func parseReplacements(name string, text []byte, dir string) (replacements, error) {
	r := replacements{}
	var file overlayJSON
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("parsing overlay JSON %s: %w", name, err)
	}
	for from, to := range file.Replace {
		if from == "" {
			return nil, fmt.Errorf("%s: empty string key in overlay map; name a file", name)
		}
		if to != "" {
			to = absolute(dir, to)
		}
		from = absolute(dir, from)
		if _, twice := r[from]; twice {
			return nil, fmt.Errorf("%s: duplicate path %s in overlay map; drop one", name, from)
		}
		r[from] = to
	}
	return r, nil
}

// read reads a file through the replacements.
func (r replacements) read(path string) ([]byte, error) {
	if to, ok := r[path]; ok {
		if to == "" {
			return nil, &os.PathError{Op: "open", Path: path, Err: os.ErrNotExist}
		}
		path = to
	}
	return fileread.File(path)
}

// marshal returns the text of the overlay file, which is the same for equal replacements.
func (r replacements) marshal() []byte {
	text, err := json.MarshalIndent(overlayJSON{r}, "", "\t")
	if err != nil {
		panic(err) // strings always encode
	}
	return append(text, '\n')
}

// with returns r with more added, which takes precedence.
func (r replacements) with(more replacements) replacements {
	all := maps.Clone(r)
	maps.Copy(all, more)
	return all
}

// relativeTo shortens a path as go does in messages: relative to dir, if that is shorter.
func relativeTo(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	if filepath.Dir(rel) == "." {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}
