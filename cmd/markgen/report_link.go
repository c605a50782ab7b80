package main

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/markgen/markgen/fileread"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/report"
)

// editorLink is what places of a page lead to if nothing else is asked for.
const editorLink = "vscode://file{path}:{line}"

// placeholder is what stands in the template of a link for a part of the place.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// checkLink returns an error for a template that makes no link to a file, or a script.
func checkLink(template string) error {
	if template == "none" {
		return nil
	}
	for _, p := range placeholder.FindAllString(template, -1) {
		if !slices.Contains([]string{"{file}", "{path}", "{line}"}, p) {
			return fmt.Errorf("-link %s: there is no %s; write {file} for the name in the module, {path} for the one on this machine, {line} for the line", template, p)
		}
	}
	if !strings.Contains(template, "{file}") && !strings.Contains(template, "{path}") {
		return fmt.Errorf("-link %s leads to no file; write {file} or {path} where its name belongs, or none", template)
	}
	u, err := url.Parse(placeholder.ReplaceAllString(template, "1"))
	if err != nil {
		return fmt.Errorf("-link %s is no address; write one such as https://example.com/blob/main/{file}#L{line}", template)
	}
	if slices.Contains([]string{"javascript", "data", "vbscript", "blob"}, u.Scheme) {
		return fmt.Errorf("-link %s: what begins with %s: is no address of a file; write one such as https://example.com/blob/main/{file}#L{line}", template, u.Scheme)
	}
	return nil
}

// placeLinks returns what gives places of a page their addresses, by the flags -link and -src.
func placeLinks(env *cli.Env, template, src string, o report.Options) (func(pkg, file string, std bool) string, error) {
	if template == "" {
		template = editorLink
		if o.API { // goes to others
			template = "none"
		}
	}
	if err := checkLink(template); err != nil {
		return nil, err
	}
	dir := ""
	if src == "" || src == "none" {
		dir, _ = moduleRoot(env.Dir) // "" when there is none
	} else {
		dir = env.Path(src)
	}
	return linker(template, dir, o.Source), nil
}

// linker returns what makes of the template the address of a file, with {line} still in it; nil: of
// none. read gives the path of a file; nil: none has any. {file} is of the module in dir alone ("":
// of any), as the template is made for its repository.
func linker(template, dir string, read func(pkg, file string, std bool) (report.Source, error)) func(pkg, file string, std bool) string {
	if template == "none" {
		return nil
	}
	text, _ := fileread.File(filepath.Join(dir, "go.mod")) // without one the module is not known
	module := modfile.ModulePath(text)
	return func(pkg, file string, std bool) string {
		address := template
		if strings.Contains(address, "{file}") {
			below := file
			if filepath.IsAbs(filepath.FromSlash(file)) {
				name, ok := within(dir, filepath.FromSlash(file))
				if !ok {
					return ""
				}
				below = filepath.ToSlash(name)
			} else if std || module != "" && moduleOf(pkg, file) != module {
				return ""
			}
			address = strings.ReplaceAll(address, "{file}", escapePath(below))
		}
		if strings.Contains(address, "{path}") {
			if read == nil {
				return ""
			}
			source, err := read(pkg, file, std)
			if err != nil || source.Path == "" {
				return ""
			}
			name := filepath.ToSlash(source.Path)
			address = strings.ReplaceAll(address, "{path}", "/"+strings.TrimPrefix(escapePath(name), "/"))
		}
		return address
	}
}

// escapePath is a path as it stands in an address, be it in its path or behind a question mark.
func escapePath(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(part), "+", "%20")
	}
	return strings.Join(parts, "/")
}
