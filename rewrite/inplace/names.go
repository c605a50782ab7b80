package inplace

import (
	"go/scanner"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/markgen/markgen/rewrite"
)

// names are the identifiers that Mark inserts: for the import of the runtime, the
// scopes of a function, the markers of a package and those of its in-package tests. If
// the user has such a name, all four end in the same number.
type names struct {
	perf, scopes, marks, testMarks string
}

func numbered(number string) names {
	return names{"perf" + number, "perfs" + number, "perfmarks" + number, "perftestmarks" + number}
}

// clashes reports whether an identifier of the user is one of these names, or may be mistaken for
// one: the markers of a file with a build constraint have the file's name appended.
func (n names) clashes(word string) bool {
	return word == n.perf || word == n.scopes || strings.HasPrefix(word, n.marks) || strings.HasPrefix(word, n.testMarks)
}

// freeNames returns the names with the lowest number with which no identifier of the texts clashes.
func freeNames(texts ...[]byte) names {
	words := map[string]bool{}
	for _, text := range texts {
		perfWords(text, words)
	}
	n := numbered("")
search:
	for i := 2; ; i++ {
		for word := range words {
			if n.clashes(word) {
				n = numbered(strconv.Itoa(i))
				continue search
			}
		}
		return n
	}
}

// mayClash matches a word that looks like an inserted name. It is a cheap test before a text is
// scanned.
var mayClash = regexp.MustCompile(`\bperf(s?[0-9]*\b|marks|testmarks)`)

// perfWords adds the identifiers of a Go text that begin with perf to words, except
// selectors: a name after a dot does not clash.
func perfWords(text []byte, words map[string]bool) {
	if !mayClash.Match(text) {
		return
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	last := token.ILLEGAL
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT && last != token.PERIOD && strings.HasPrefix(lit, "perf") {
			words[lit] = true
		}
		last = tok
	}
}

// fieldNames returns a unique identifier for each point, made of its name without the import path:
// Parse, ParseFor1, TReadIf2Then.
func fieldNames(points []*rewrite.Point) map[*rewrite.Point]string {
	fields := make(map[*rewrite.Point]string, len(points))
	taken := map[string]bool{fieldBefore: true, fieldAfter: true}
	for _, p := range points {
		name := fieldName(strings.TrimPrefix(p.Name, p.Package+"."))
		free := name
		for i := 2; taken[free]; i++ {
			free = name + "_" + strconv.Itoa(i)
		}
		taken[free] = true
		fields[p] = free
	}
	return fields
}

// fieldName joins the words of a marker's name, with a capital letter at the start of each but the
// first.
func fieldName(name string) string {
	var b strings.Builder
	up := false
	for _, r := range name {
		switch {
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			if up && b.Len() > 0 {
				r = unicode.ToUpper(r)
			} else if b.Len() == 0 && unicode.IsDigit(r) {
				b.WriteByte('n')
			}
			b.WriteRune(r)
			up = false
		default:
			up = true
		}
	}
	switch word := b.String(); {
	case strings.Trim(word, "_") == "":
		return "blank" + word
	case token.IsKeyword(word):
		return word + "_"
	default:
		return word
	}
}
