package rewrite

import "bytes"

// Version control gives one source LF in one checkout and CRLF in another (core.autocrlf of git), and both have to be
// marked alike, or what is up to date in the one is not in the other. So Load and Strip take the carriage returns of a
// source with CRLF off, as the parser does with those in comments and raw strings, and InPlace and Strip put them back.
// A source with both keeps all its bytes: nobody could say where the returns were.

var (
	lf   = []byte("\n")
	crlf = []byte("\r\n")
)

// withoutReturns is a source with LF for CRLF; ok is false of one whose lines do not all end in CRLF.
func withoutReturns(src []byte) (text []byte, ok bool) {
	n := bytes.Count(src, crlf)
	if n == 0 || n != bytes.Count(src, lf) {
		return src, false
	}
	return bytes.ReplaceAll(src, crlf, lf), true
}

// withReturns undoes withoutReturns.
func withReturns(text []byte) []byte { return bytes.ReplaceAll(text, lf, crlf) }
