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

// editorLink is the default template for links to source.
const editorLink = "vscode://file{path}:{line}"

// placeholder matches a placeholder in a template.
var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// checkLink returns an error for a template that does not result in a link to a file, or is a
// script.
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

// placeLinks returns a function that returns URLs of source files, according to the flags -link and
// -src.
func placeLinks(env *cli.Env, template, src string, o report.Options) (func(pkg, file string, std bool) string, error) {
	if template == "" {
		template = editorLink
		if o.API { // catalogues are for other people
			template = "none"
		}
	}
	if err := checkLink(template); err != nil {
		return nil, err
	}
	dir := ""
	if src == "" || src == "none" {
		dir, _ = moduleRoot(env.Dir) // "" if there is none
	} else {
		dir = env.Path(src)
	}
	return linker(template, dir, o.Source), nil
}

// linker returns a function that expands the template to the URL of a file, with {line} left in it,
// or nil if the template is "none". read returns the path of a file; if nil, files have no paths.
// {file} is only expanded for files of the module in dir (if "", of any module), since the template
// is for its repository.
func linker(template, dir string, read func(pkg, file string, std bool) (report.Source, error)) func(pkg, file string, std bool) string {
	if template == "none" {
		return nil
	}
	text, _ := fileread.File(filepath.Join(dir, "go.mod")) // without go.mod the module is unknown
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

// escapePath escapes a path for use in a URL's path or query.
func escapePath(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(part), "+", "%20")
	}
	return strings.Join(parts, "/")
}
