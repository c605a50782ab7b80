package rewrite

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/token"
	"slices"
	"sort"
)

// A group is a run of top-level declarations and comments without blank lines between
// them, as whole lines. gofmt does not align across blank lines, so a group can be
// formatted by itself. That makes InPlace and Strip fast, since in most files few groups
// are affected by the inserted lines.
type group struct {
	from, to int
	alone    bool // it can be formatted alone: it is not the head of the file
}

// declGroups returns the groups of a file, in order.
func declGroups(text []byte, f *ast.File, offset func(token.Pos) int) (list []group) {
	add := func(from, to int, alone bool) {
		from, to = lineStart(text, from), lineEnd(text, to)
		if n := len(list); n > 0 {
			if last := &list[n-1]; from <= last.to || len(bytes.TrimSpace(text[last.to:from])) > 0 {
				last.to, last.alone = max(last.to, to), last.alone && alone
				return
			}
		}
		list = append(list, group{from, to, alone})
	}
	add(0, offset(f.Name.End()), false)
	comments := f.Comments
	commentsTo := func(at int) {
		for ; len(comments) > 0 && offset(comments[0].Pos()) < at; comments = comments[1:] {
			add(offset(comments[0].Pos()), offset(comments[0].End()), true)
		}
	}
	for _, d := range f.Decls {
		commentsTo(offset(d.Pos()))
		g, ok := d.(*ast.GenDecl)
		end := offset(d.End())
		add(offset(d.Pos()), end, !ok || g.Tok != token.IMPORT)
		for len(comments) > 0 && offset(comments[0].Pos()) < end {
			comments = comments[1:]
		}
	}
	commentsTo(len(text))
	for i, g := range list {
		if g.alone && (bytes.Contains(text[g.from:g.to], []byte("//go:build")) || bytes.Contains(text[g.from:g.to], []byte("+build"))) {
			list[i].alone = false // gofmt moves build constraints
		}
	}
	return list
}

// groupAt returns the index of the group that contains an offset, or -1.
func groupAt(list []group, at int) int {
	i := sort.Search(len(list), func(i int) bool { return list[i].to > at })
	if i == len(list) || list[i].from > at {
		return -1
	}
	return i
}

// groupHead is prepended to the text of a group to make it a file.
const groupHead = "package p\n\n"

// alone returns a file with the text of a group.
func alone(text []byte) []byte { return slices.Concat([]byte(groupHead), text) }

// formatAlone formats the text of a group.
func formatAlone(text []byte) ([]byte, bool) {
	text, err := format.Source(alone(text))
	if err != nil {
		return nil, false
	}
	return bytes.CutPrefix(text, []byte(groupHead))
}

// formattedAlone reports whether gofmt would leave the text of a group as it is.
func formattedAlone(text []byte) bool {
	out, ok := formatAlone(text)
	return ok && bytes.Equal(out, text)
}
