package inplace

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
)

// shapes recognises the statements that Mark inserts, by the names that it uses in a file.
type shapes struct {
	names
	mark, finish *regexp.Regexp // of the code of a statement
}

type shape uint8

const (
	shapeNone   shape = iota
	shapeMark         // names a marker or the scopes
	shapePause        // perf.Pause()
	shapeResume       // perf.Resume()
	shapeFinish       // an if perf.On with defer perf.Finish()
)

// insertedNames are the names of the runtime that only inserted statements use. Finish, Pause and
// Resume are also for users.
var insertedNames = map[string]bool{"On": true, "Scope": true, "Enter": true, "Close": true, "Pass": true, "Point": true}

// mayBeInserted matches the start of a statement that Mark may have inserted.
var mayBeInserted = regexp.MustCompile(`^(var|defer|if|_\s*=)?\s*perf`)

func newShapes(number string) shapes {
	n := numbered(number)
	in := func(pattern string) string {
		return strings.NewReplacer("PERF", n.perf, "SCOPES", n.scopes+`\[[^\[\]]*\]`, "MARKER",
			"&("+n.marks+"|"+n.testMarks+`)[\pL\pN_]*\.[\pL\pN_]+`).Replace(pattern)
	}
	deferred := in(`defer PERF\.(Close\(SCOPES\)|Enter\(MARKER\)\.Exit\(\))`)
	mark := deferred + in(`|var SCOPESPERF\.Scope|PERF\.Close\(SCOPES\)|PERF\.(Pass|Point)\(MARKER\)|`+
		`SCOPES\.(Enter\(MARKER\)|Exit\(\)|Size\(.*\))|_=SCOPES\.Labels\(\)&&PERF\.Label\(.*\)`)
	guarded := func(calls string) string { return in(`if PERF\.On{(`) + calls + `)*}` }
	return shapes{n, regexp.MustCompile(`^(` + mark + `|` + guarded(deferred) + `)$`),
		regexp.MustCompile(`^` + guarded(deferred+in(`|defer PERF\.Finish\(\)`)) + `$`)}
}

// kind returns which inserted statement the text of a statement is. The body of an if perf.On may be
// empty.
func (s shapes) kind(text []byte) shape {
	if !mayBeInserted.Match(text) {
		return shapeNone
	}
	switch c := code(text); {
	case c == s.perf+".Pause()":
		return shapePause
	case c == s.perf+".Resume()":
		return shapeResume
	case s.mark.MatchString(c):
		return shapeMark
	case s.finish.MatchString(c):
		return shapeFinish
	}
	return shapeNone
}

func (s shapes) isMarks(name string) bool {
	return strings.HasPrefix(name, s.marks) || strings.HasPrefix(name, s.testMarks)
}

// code returns the tokens of a text, without those that depend on how it is formatted.
func code(text []byte) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	var b strings.Builder
	for {
		switch _, tok, lit := s.Scan(); {
		case tok == token.EOF:
			return strings.NewReplacer(",)", ")", ",}", "}", ",]", "]").Replace(b.String())
		case tok == token.SEMICOLON:
		case tok.IsKeyword():
			b.WriteString(lit + " ")
		case tok.IsOperator():
			b.WriteString(tok.String())
		default:
			b.WriteString(lit)
		}
	}
}
