package rewrite

import (
	"bytes"
	"fmt"
	"slices"
)

// restores reports whether Strip takes everything out of the marked text again and
// gives the original bytes back.
//
// To try it is what costs most of marking, since Strip has to parse. A text that
// is marked by lines alone is taken back by looking at the lines alone: each of
// the statements is on lines of its own where statements may be, no comment is in
// them or aligned with one of them, and their names are free in the package, so
// that nothing of the user's looks like one of them to the parser. So are groups of
// declarations that were formatted where that was all, and where it was not, they
// are tried each for itself, as Strip takes them.
// That Strip does the same with the file is tested with the standard library.
// Whatever does not come back so is tried.
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

// restoresImports reports whether Strip gives back the imports of a file that was marked by lines; plain and marked are where
// they end in the original and in the marked text.
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

// withoutLines leaves out the lines that InPlace has put into functions. It takes any line that looks
// so, be it in a string, and leaves what Strip takes out only after a look
// around: the sizes, which are the user's expressions, and the pauses, which
// belong to a directive.
func withoutLines(text []byte, n names) []byte {
	var (
		guard     = []byte("if " + n.perf + ".On {")
		deferring = []byte("defer " + n.perf + ".")
		declaring = []byte("var " + n.scopes + " [")
		onScope   = []byte(n.scopes + "[")
		calling   = []byte(n.perf + ".")
	)
	out := make([]byte, 0, len(text))
	kept := 0 // text up to there is out, or left out
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

// withoutNotes puts function bodies that were broken up, and have a note behind
// their brace, back on one line, where each of their statements is on a line of its
// own. What is not so simple it leaves to joinLines, which Strip has do it.
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
