package top

import (
	"io"
	"time"
	"unicode"
	"unicode/utf8"
)

// A key is a pressed key: a character, "ctrl+" and a letter, or one of the names below. Any other
// key is the escape sequence that it sends.
type key string

// sequences are what keys send after an escape character: those of xterm, its application mode, the
// VT220 and the Linux console.
var sequences = map[string]key{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end",
	"OA": "up", "OB": "down", "OC": "right", "OD": "left", "OH": "home", "OF": "end",
	"[1~": "home", "[3~": "delete", "[4~": "end", "[5~": "pgup", "[6~": "pgdown", "[7~": "home", "[8~": "end",
}

const escape = 0x1b

// escapeWait is how long the rest of an escape sequence may take to arrive. Without a rest it was
// the escape key.
const escapeWait = 50 * time.Millisecond

// An inputEnded says why there are no more keys.
type inputEnded struct{ err error }

// readKeys sends pressed keys to send. It returns the error that ended reading.
func readKeys(in io.Reader, send func(message)) message {
	chunks, ended := make(chan []byte), make(chan error, 1)
	go func() {
		for {
			buf := make([]byte, 1024)
			n, err := in.Read(buf)
			if n > 0 {
				chunks <- buf[:n]
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	var read []byte
	for {
		var late <-chan time.Time
		if len(read) > 0 {
			late = time.After(escapeWait)
		}
		all := false
		select {
		case chunk := <-chunks:
			read = append(read, chunk...)
		case <-late:
			all = true
		case err := <-ended:
			return inputEnded{err}
		}
		for {
			k, n := nextKey(read, all)
			if n == 0 {
				break
			}
			read = read[n:]
			send(k)
		}
	}
}

// nextKey returns the first key in text, and its length in bytes. The length is 0 if more text is
// needed to decide, but never if all is set and text is not empty.
func nextKey(text []byte, all bool) (k key, n int) {
	if len(text) == 0 {
		return "", 0
	}
	switch c := text[0]; {
	case c == escape:
		n = sequence(text)
		switch {
		case n == 0 && !all:
			return "", 0
		case n <= 1:
			return "esc", 1
		}
		if k, ok := sequences[string(text[1:n])]; ok {
			return k, n
		}
		return key(text[:n]), n
	case c == '\r' || c == '\n':
		return "enter", 1
	case c == '\b' || c == 0x7f:
		return "backspace", 1
	case c < ' ':
		return key("ctrl+" + string(rune(c|0x60))), 1
	case !utf8.FullRune(text) && !all:
		return "", 0
	}
	r, n := utf8.DecodeRune(text)
	return key(string(r)), n
}

// sequence returns the length of the escape sequence at the start of text; 0 if it is incomplete.
func sequence(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch {
	case text[1] == escape: // the escape key, twice
		return 1
	case text[1] == 'O' && len(text) > 2:
		return 3
	case text[1] == 'O':
		return 0
	case text[1] != '[': // a character with Alt
		if !utf8.FullRune(text[1:]) {
			return 0
		}
		_, n := utf8.DecodeRune(text[1:])
		return 1 + n
	}
	for i, c := range text[2:] {
		switch {
		case c == '[' && i == 0: // a function key of the Linux console: one more follows
		case c < ' ' || c > '~':
			return 2 + i // invalid in a sequence
		case c >= '@':
			return 3 + i
		}
	}
	return 0
}

// A field is a line of text being edited: the text before and after the cursor.
type field struct{ before, after string }

func (f field) text() string { return f.before + f.after }

// typed returns the field after a key.
func (f field) typed(k key) field {
	_, last := utf8.DecodeLastRuneInString(f.before)
	_, first := utf8.DecodeRuneInString(f.after)
	left := len(f.before) - last
	switch k {
	case "left", "ctrl+b":
		return field{f.before[:left], f.before[left:] + f.after}
	case "right", "ctrl+f":
		return field{f.before + f.after[:first], f.after[first:]}
	case "home", "ctrl+a":
		return field{"", f.text()}
	case "end", "ctrl+e":
		return field{f.text(), ""}
	case "backspace":
		return field{f.before[:left], f.after}
	case "delete", "ctrl+d":
		return field{f.before, f.after[first:]}
	case "ctrl+u":
		return field{"", f.after}
	case "ctrl+k":
		return field{f.before, ""}
	}
	if r, n := utf8.DecodeRuneInString(string(k)); n == len(k) && unicode.IsPrint(r) {
		f.before += string(k)
	}
	return f
}
