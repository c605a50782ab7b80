package registry

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxErrors is the maximum number of errors that Parse reports.
const maxErrors = 10

// Parse parses a registry file. An empty text is an empty registry. The order of lines does not
// matter and duplicate lines are ignored, so that the lines of two branches may simply be
// concatenated.
//
// Errors have the form "name:line:col: what; what to do" and are joined; col counts bytes from 1.
func Parse(name string, text []byte) (*Registry, error) {
	p := parser{name: name, byID: map[ID]known{}}
	lines := strings.Split(string(text), "\n")
	if p.conflicts(lines) {
		return nil, errors.Join(p.errs...)
	}
	headed := false
	for i, line := range lines {
		p.line, line = i+1, strings.TrimSuffix(line, "\r")
		switch {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, headerWord):
			headed = true
			if v := line[len(headerWord):]; v != version {
				p.fail(len(headerWord)+1, "this markgen reads version %s of the registry, not %q; use the markgen that wrote the file, or a newer one", version, v)
				return nil, errors.Join(p.errs...)
			}
		case !headed:
			p.fail(1, "the first line of a registry is %q; put it back, or remove the file and run markgen to make a new one", headerWord+version)
			return nil, errors.Join(p.errs...)
		default:
			p.entry(line)
		}
		if len(p.errs) == maxErrors {
			break
		}
	}
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	slices.SortFunc(p.entries, compareEntries)
	return &Registry{slices.Compact(p.entries)}, nil
}

type parser struct {
	name    string
	line    int
	entries []Entry
	byID    map[ID]known
	errs    []error
}

// known is the position of the first line with an ID.
type known struct{ index, line int }

func (p *parser) fail(col int, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d:%d: %s", p.name, p.line, col, fmt.Sprintf(format, args...)))
}

// conflicts reports each place where git left a merge conflict, including markers left by an
// incomplete resolution.
func (p *parser) conflicts(lines []string) bool {
	inside := false
	for i, line := range lines {
		begin, end := strings.HasPrefix(line, "<<<<<<<"), strings.HasPrefix(line, ">>>>>>>")
		middle := strings.HasPrefix(line, "=======") || strings.HasPrefix(line, "|||||||")
		if (begin || !inside) && (begin || middle || end) && len(p.errs) < maxErrors {
			p.line = i + 1
			p.fail(1, "git left a merge conflict here (%.7s); keep the lines of both sides, delete the lines <<<<<<<, |||||||, ======= and >>>>>>>, then run markgen again", line)
		}
		inside = (inside || begin) && !end
	}
	return len(p.errs) > 0
}

// entry parses the line of a marker.
func (p *parser) entry(line string) {
	names := []string{"id", "state", "package", "func", "kind", "ordinal", "rank", "name", "header", "body"}
	var fields [10]string
	var cols [10]int
	rest, damaged := line, "; restore the line from version control, or delete it: the marker then gets a new ID"
	for i := range fields {
		cols[i] = len(line) - len(rest) + 1
		if rest == "" {
			p.fail(cols[i], "the field %q is missing%s", names[i], damaged)
			return
		}
		var ok bool
		if fields[i], rest, ok = nextField(rest); !ok {
			p.fail(cols[i], "the field %q is not quoted as Go quotes a string%s", names[i], damaged)
			return
		}
	}
	if rest != "" {
		p.fail(len(line)-len(rest)+1, "there is more than the %d fields of a marker%s", len(fields), damaged)
		return
	}
	bad := func(i int, format string, args ...any) {
		p.fail(cols[i], "%s: %s%s", names[i], fmt.Sprintf(format, args...), damaged)
	}
	e := Entry{Package: fields[2], Func: fields[3], Kind: fields[4], Rank: fields[6], Given: fields[7], Header: fields[8]}
	var err error
	if e.ID, err = ParseID(fields[0]); err != nil {
		bad(0, "%v", err)
		return
	}
	switch fields[1] {
	case "live":
	case "retired":
		e.Retired = true
	default:
		bad(1, "%q is neither live nor retired", fields[1])
		return
	}
	if e.Package == "" {
		bad(2, "a marker has a package")
		return
	}
	if e.Func == "" {
		bad(3, "a marker has a function")
		return
	}
	if !slices.Contains([]string{"func", "loop", "branch", "block", "region", "point"}, e.Kind) {
		bad(4, "%q is none of func, loop, branch, block, region, point", e.Kind)
		return
	}
	if e.Ordinal, err = strconv.Atoi(fields[5]); err != nil || e.Ordinal < 1 || strconv.Itoa(e.Ordinal) != fields[5] {
		bad(5, "%q is not a number from 1", fields[5])
		return
	}
	if strings.Trim(e.Rank, "0123456789") != "" || strings.HasSuffix(e.Rank, "0") {
		bad(6, "%q is not the digits of a fraction", e.Rank)
		return
	}
	if e.Body, err = parseHex(fields[9]); err != nil {
		bad(9, "%v", err)
		return
	}
	if e.Header != shorten(e.Header) {
		bad(8, "longer than %d bytes", maxHeader)
		return
	}
	if first, ok := p.byID[e.ID]; ok {
		if !related(p.entries[first.index], e) {
			p.fail(1, "line %d gives the ID %v to another marker; delete one of the two lines, then run markgen again", first.line, e.ID)
			return
		}
	} else {
		p.byID[e.ID] = known{len(p.entries), p.line}
	}
	p.entries = append(p.entries, e)
}
