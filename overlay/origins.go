package overlay

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fileread"
)

// The program must not show that modules were copied to be marked: its stack traces name the files
// in the module cache, and its build info (runtime/debug.BuildInfo) has the original modules and
// sums, as in the unmarked program.

// origins records the origins of copied modules.
type origins struct {
	Copies, Cache string            // directory of all copies, and module cache
	Modules       map[string]string // build info of the original module, by directory of the copy
}

// originsOf returns the origins of the copies, or nil if there are none.
func originsOf(cache *Cache, copies []*moduleCopy, modCache string) *origins {
	if len(copies) == 0 {
		return nil
	}
	o := &origins{Copies: cache.modules(), Cache: modCache, Modules: map[string]string{}}
	for _, c := range copies {
		o.Modules[c.dir] = c.info
	}
	return o
}

// info returns the lines for a dependency in the build info (BuildInfo.String in
// runtime/debug/mod.go).
func (m *Module) info() string {
	if r := m.Replace; r != nil {
		return fmt.Sprintf("dep\t%s\t%s\n=>\t%s\t%s\t%s\n", m.Path, m.Version, r.Path, r.Version, r.Sum)
	}
	return fmt.Sprintf("dep\t%s\t%s\t%s\n", m.Path, m.Version, m.Sum)
}

// words encodes the origins as one line; "" for nil.
func (o *origins) words() string {
	if o == nil {
		return ""
	}
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // cannot fail for strings
	}
	return string(text)
}

// readOrigins decodes a line of words; nil if it is empty.
func readOrigins(line string) *origins {
	o := new(origins)
	if json.Unmarshal([]byte(line), o) != nil || o.Copies == "" {
		return nil
	}
	return o
}

// trimpath returns a tool's arguments with a -trimpath that maps the copies to the module cache.
// The first matching rule applies, and one for a file in the overlay maps to the copy
// (ApplyRewrites in cmd/internal/objabi/line.go).
func (o *origins) trimpath(args []string) []string {
	for i, arg := range args {
		flag, rules, joined := strings.Cut(arg, "=")
		switch {
		case flag != "-trimpath":
			continue
		case !joined && i+1 < len(args):
			i++
			rules, flag = args[i], ""
		case !joined:
			return args
		default:
			flag += "="
		}
		list := strings.Split(rules, ";")
		for k, rule := range list {
			if from, to, ok := strings.Cut(rule, "=>"); ok && within(o.Copies, to) {
				list[k] = from + "=>" + o.Cache + strings.TrimPrefix(to, o.Copies)
			}
		}
		args = slices.Clone(args)
		args[i] = flag + strings.Join(append(list, o.Copies+"=>"+o.Cache), ";")
		return args
	}
	return args
}

// link replaces the copies with the original modules in the build info in the linker's -importcfg.
// Go writes that file for this invocation only.
func (o *origins) link(args []string) error {
	name := ""
	for i, arg := range args {
		if value, ok := strings.CutPrefix(arg, "-importcfg="); ok {
			name = value
		} else if arg == "-importcfg" && i+1 < len(args) {
			name = args[i+1]
		}
	}
	if name == "" {
		return nil
	}
	text, err := fileread.File(name)
	if err != nil {
		return err
	}
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		quoted, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "modinfo ")
		if info, err := strconv.Unquote(quoted); ok && err == nil {
			line = "modinfo " + strconv.Quote(o.restore(info)) + "\n"
		}
		out.WriteString(line)
	}
	if out.String() == string(text) {
		return nil
	}
	return os.WriteFile(name, []byte(out.String()), 0o666)
}

// restore returns the build info with the original modules instead of the copies. A copy has a line
// "dep" and a line "=>" with its directory.
func (o *origins) restore(info string) string {
	lines := strings.SplitAfter(info, "\n")
	for i := 1; i < len(lines); i++ {
		words := strings.Split(lines[i], "\t")
		if words[0] != "=>" || len(words) < 2 || !strings.HasPrefix(lines[i-1], "dep\t") {
			continue
		}
		if of, ok := o.Modules[filepath.FromSlash(words[1])]; ok {
			lines[i-1], lines[i] = of, ""
		}
	}
	return strings.Join(lines, "")
}

// script returns the part of a toolScript that passes tools that would see copies to runTool.
func (o *origins) script() string {
	if o == nil {
		return ""
	}
	run := fmt.Sprintf(`exec "$self" %s "$0" "$overlay" "$user" "$tool" "$@"`, toolExec)
	copies := shellQuote(o.Copies + "/")
	return fmt.Sprintf("case $tool in link | */link) %s ;; esac\nfor arg in \"$PWD/\" \"$@\"; do case $arg in %s*) %s ;; esac; done\n", run, copies, run)
}
