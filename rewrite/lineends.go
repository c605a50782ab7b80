package rewrite

import "bytes"

// The same source may have LF in one checkout and CRLF in another (git's core.autocrlf). Both must
// be marked alike, or marks that are up to date in one would not be in the other. So Load and inplace.Strip
// remove the carriage returns of a source with CRLF, as the parser does in comments and raw
// strings, and package inplace add them again. A source with mixed line ends is not converted,
// since the returns could not be restored.

var (
	lf   = []byte("\n")
	crlf = []byte("\r\n")
)

// WithoutReturns returns a source with LF in place of CRLF. If not all of its lines end in CRLF, it
// returns src and false.
func WithoutReturns(src []byte) (text []byte, ok bool) {
	n := bytes.Count(src, crlf)
	if n == 0 || n != bytes.Count(src, lf) {
		return src, false
	}
	return bytes.ReplaceAll(src, crlf, lf), true
}

// WithReturns undoes WithoutReturns.
func WithReturns(text []byte) []byte { return bytes.ReplaceAll(text, lf, crlf) }
