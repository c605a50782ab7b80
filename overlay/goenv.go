package overlay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/markgen/markgen/fileread"
)

// goEnv is the part of go env's output that markgen uses.
type goEnv struct {
	GOROOT     string
	GOMODCACHE string
	GOMOD      string // path of go.mod, os.DevNull outside a module
	GOWORK     string // path of go.work, or "" or "off"
	GOFLAGS    string
	GOENV      string // path of go's configuration file, or "off"
	GOOS       string
	GOARCH     string
	GOTOOLDIR  string
	GOVERSION  string // of the toolchain that builds, such as go1.27.4
	Download   string `json:",omitempty"` // the original GOROOT, if moveGoroot replaced it
}

func readGoEnv(ctx context.Context, dir string, environ []string) (*goEnv, error) {
	out, err := goOutput(ctx, dir, environ, "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS", "GOENV", "GOOS", "GOARCH", "GOTOOLDIR", "GOVERSION")
	if err != nil {
		return nil, err
	}
	e := new(goEnv)
	if err := json.Unmarshal(out, e); err != nil {
		return nil, fmt.Errorf("go env: output not understood: %w", err)
	}
	return e, nil
}

// withModCache returns environ with GOMODCACHE set if nothing else determines the module cache, as
// when there is no home directory. Otherwise go would take every file for one below it, which an
// overlay must not replace (cmd/go/internal/work/init.go, BuildInit) and which go assumes never
// changes (cmd/go/internal/modindex).
func withModCache(environ []string) []string {
	for _, key := range []string{"HOME", "USERPROFILE", "home"} {
		if getenv(environ, key) != "" {
			return environ
		}
	}
	var settings []byte
	if name := getenv(environ, "GOENV"); name != "" && name != "off" {
		settings, _ = fileread.File(name) // go reports read errors
	}
	setting := func(key string) string {
		value := getenv(environ, key)
		for line := range strings.Lines(string(settings)) {
			if k, v, _ := strings.Cut(strings.TrimSpace(line), "="); value == "" && k == key {
				value = v
			}
		}
		return value
	}
	if setting("GOMODCACHE") != "" || setting("GOPATH") != "" {
		return environ
	}
	for _, dir := range []string{setting("GOCACHE"), getenv(environ, "XDG_CACHE_HOME")} { // go needs one of them anyway
		if dir != "" {
			return setenv(environ, "GOMODCACHE", filepath.Join(dir, "markgen", "gomodcache"))
		}
	}
	return environ
}

// moveGoroot makes go use GOROOT by another path if it is below GOMODCACHE, where go puts
// downloaded toolchains: go allows no replacements there, and the virtual runtime replaces files in
// GOROOT.
func (b *Build) moveGoroot() error {
	if b.env.Download == "" {
		if !within(b.env.GOMODCACHE, b.env.GOROOT) {
			return nil
		}
		b.env.Download = b.env.GOROOT
	}
	link := filepath.Join(b.cache.dir, "goroot", hashOf(b.env.Download))
	if to, err := os.Readlink(link); err != nil || to != b.env.Download {
		if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
			return err
		}
		tmp := fmt.Sprintf("%s.%d.tmp", link, os.Getpid())
		if err := errors.Join(os.Symlink(b.env.Download, tmp), os.Rename(tmp, link)); err != nil {
			return err
		}
	}
	b.env.GOROOT = link
	b.environ = setenv(b.environ, "GOROOT", link)
	b.environ = setenv(b.environ, "GOTOOLCHAIN", "local")
	path := filepath.Join(link, "bin") + string(filepath.ListSeparator) + getenv(b.environ, "PATH")
	b.environ = setenv(b.environ, "PATH", path)
	return nil
}

// WithDefaults returns the command line with the flags of GOFLAGS before its own, for Flag and
// Bool. dir is the directory go runs in.
func (c *CommandLine) WithDefaults(ctx context.Context, dir string, environ []string) (*CommandLine, error) {
	env, err := readGoEnv(ctx, dir, environ)
	if err != nil {
		return nil, err
	}
	return c.withDefaults(env.GOFLAGS)
}

// withDefaults returns the command line with the flags of GOFLAGS before its own, which override
// them. Words does not return them, since go reads GOFLAGS itself. As in go, flags that the
// subcommand does not have are ignored.
func (c *CommandLine) withDefaults(goflags string) (*CommandLine, error) {
	words, err := splitQuoted(goflags)
	if err != nil {
		return nil, fmt.Errorf("GOFLAGS: %w; see go help environment", err)
	}
	d := &CommandLine{Verb: c.Verb, Dir: c.Dir, parts: c.parts}
	for _, w := range words {
		if t, _, state, err := c.nextFlag([]string{w}); err == nil && state == knownFlag {
			d.defaults = append(d.defaults, t)
		}
	}
	return d, nil
}

// defaultsWithout returns a GOFLAGS value without the named flags.
func (c *CommandLine) defaultsWithout(names map[string]bool) string {
	var words []string
	for _, t := range c.defaults {
		if names[t.name] {
			continue
		}
		w := t.raw[0]
		if strings.ContainsAny(w, " \t\n\r'\"") {
			quote := "'"
			if strings.Contains(w, "'") {
				quote = `"`
			}
			w = quote + w + quote
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// splitQuoted splits a list as go splits GOFLAGS and -exec: at white space, except within a field
// that begins with a quote, which ends at the next such quote. Source:
// cmd/internal/quoted/quoted.go.
func splitQuoted(s string) ([]string, error) {
	var fields []string
	for {
		s = strings.TrimLeft(s, " \t\n\r")
		if s == "" {
			return fields, nil
		}
		if q := s[0]; q == '\'' || q == '"' {
			end := strings.IndexByte(s[1:], q)
			if end < 0 {
				return nil, fmt.Errorf("unterminated %c string", q)
			}
			fields = append(fields, s[1:1+end])
			s = s[2+end:]
			continue
		}
		end := strings.IndexAny(s, " \t\n\r")
		if end < 0 {
			end = len(s)
		}
		fields = append(fields, s[:end])
		s = s[end:]
	}
}

// joinQuoted joins words such that splitQuoted and the go command split them again. There are no
// escapes: a word with both kinds of quotes is an error.
func joinQuoted(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, word := range words {
		switch {
		case word != "" && !strings.ContainsAny(word, " \t\n\r'\""):
		case !strings.Contains(word, "'"):
			word = "'" + word + "'"
		case !strings.Contains(word, `"`):
			word = `"` + word + `"`
		default:
			return "", fmt.Errorf("%s: go cannot be given a name with quotes of both kinds in it; rename it", word)
		}
		quoted[i] = word
	}
	return strings.Join(quoted, " "), nil
}

// MainRoot returns the directory of the go.work, or else of the go.mod, that go uses in dir; "" if
// there is neither.
func MainRoot(ctx context.Context, dir string, environ []string) (string, error) {
	e, err := readGoEnv(ctx, dir, environ)
	switch {
	case err != nil:
		return "", err
	case e.GOWORK != "" && e.GOWORK != "off":
		return filepath.Dir(e.GOWORK), nil
	case e.GOMOD != "" && e.GOMOD != os.DevNull:
		return filepath.Dir(e.GOMOD), nil
	}
	return "", nil
}
