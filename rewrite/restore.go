package rewrite

import (
	"bytes"
	"fmt"
	"slices"
)

// restores reports whether Strip restores the original bytes from the marked text.
//
// Calling Strip would dominate the cost of marking, since it parses the file. If only
// whole lines were inserted, it is enough to look at lines: each inserted statement is
// on lines of its own, no comment is in them or aligned with them, and their names are
// unused in the package, so that no code of the user looks like them to the parser.
// Groups of declarations that were formatted are treated likewise if possible, else
// Strip is called for the group alone. A test with the standard library checks that
// Strip gives the same result for the file. If none of this shows that the original is
// restored, Strip is called for the file.
func (w *inPlaceWriter) restores(f *file, m *markedText) bool {
	if m.byLines && !maybeMarked(f.Text) && (len(m.alone) == 0 || !opensGap(m.text, f.Text)) {
		plain, marked, ok := w.restoresImports(f, m)
		if rest, alone := w.restoresAlone(f, m); ok && alone && bytes.Equal(withoutLines(rest[marked:], w.names), f.Text[plain:]) {
			return true
		}
	}
	back, err := Strip(f.Name, m.text)
	return err == nil && bytes.Equal(back, f.Text)
}

// restoresImports reports whether Strip restores the imports of a file in which only lines were
// inserted. plain and marked are the ends of the imports in the original and in the marked text.
func (w *inPlaceWriter) restoresImports(f *file, m *markedText) (plain, marked int, ok bool) {
	if plain, ok = behindLine(f.Text, f.lastImport()); !ok {
		return 0, 0, false
	}
	marked = plain
	for _, d := range m.edits {
		if d.from > plain {
			break
		}
		marked += len(d.with) - (d.to - d.from)
	}
	statement := fmt.Sprintf("\t%s.Pass(&%s.x)\n", w.perf, w.names.marks)
	around := func(head []byte, statement string) []byte {
		return slices.Concat(head, []byte("\nfunc _() {\n"+statement+"}\n"))
	}
	back, err := Strip(f.Name, around(m.text[:marked], statement))
	return plain, marked, err == nil && bytes.Equal(back, around(f.Text[:plain], ""))
}

// withoutLines returns text without the lines that InPlace inserts into functions. It
// removes any line that looks like one, even in a string. It keeps lines that Strip
// removes only in context: Size, whose argument is the user's expression, and Pause and
// Resume, which belong to a directive.
func withoutLines(text []byte, n names) []byte {
	var (
		guard     = []byte("if " + n.perf + ".On {")
		deferring = []byte("defer " + n.perf + ".")
		declaring = []byte("var " + n.scopes + " [")
		onScope   = []byte(n.scopes + "[")
		calling   = []byte(n.perf + ".")
	)
	out := make([]byte, 0, len(text))
	kept := 0 // text up to this offset is processed
	guarded := false
	for at := 0; at < len(text); {
		end := lineEnd(text, at)
		line := text[skipBlanks(text, at):end]
		ours, first := false, byte('\n')
		if len(line) > 0 {
			first = line[0]
		}
		switch first {
		case 'i':
			if ours = bytes.HasPrefix(line, guard); ours {
				guarded = true
			}
		case 'd':
			ours = guarded && bytes.HasPrefix(line, deferring)
		case '}':
			ours, guarded = guarded, false
		case 'v':
			ours = bytes.HasPrefix(line, declaring)
		case 'p':
			ours = bytes.HasPrefix(line, onScope) && !bytes.Contains(line, []byte("].Size(")) ||
				bytes.HasPrefix(line, calling) && !bytes.HasPrefix(line[len(calling):], []byte("Pause(")) && !bytes.HasPrefix(line[len(calling):], []byte("Resume("))
		}
		if ours {
			out = append(out, text[kept:at]...)
			kept = end
		}
		at = end
	}
	return append(out, text[kept:]...)
}

// withoutNotes joins the lines of function bodies with a note after their brace, assuming that each
// of their statements is on a line of its own. Strip uses joinLines, which handles all cases.
func withoutNotes(text []byte) []byte {
	note := []byte("{ " + lineNote + "\n")
	out := make([]byte, 0, len(text))
	for {
		i := bytes.Index(text, note)
		if i < 0 {
			return append(out, text...)
		}
		start := lineStart(text, i)
		indent := text[start:skipBlanks(text, start)]
		out = append(out, text[:i+1]...)
		text = text[i+len(note):]
		separator := " "
		for {
			if len(text) == 0 {
				return out
			}
			line := text[:lineEnd(text, 0)]
			text = text[len(line):]
			if rest, ok := bytes.CutPrefix(line, indent); ok && len(rest) > 0 && rest[0] == '}' {
				if separator != " " {
					out = append(out, ' ')
				}
				out = append(out, rest...)
				break
			}
			out = append(append(out, separator...), bytes.TrimSpace(line)...)
			separator = "; "
		}
	}
}
