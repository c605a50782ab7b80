package top

import (
	"io"
	"time"
	"unicode"
	"unicode/utf8"
)

// A key that was pressed: a character, "ctrl+" and a letter, or one of the names below. What is
// none of these is the sequence that it sends.
type key string

// sequences are what keys send behind an escape character: those of xterm, of its application
// mode, of the VT220 and of the Linux console.
var sequences = map[string]key{
	"[A": "up", "[B": "down", "[C": "right", "[D": "left", "[H": "home", "[F": "end",
	"OA": "up", "OB": "down", "OC": "right", "OD": "left", "OH": "home", "OF": "end",
	"[1~": "home", "[3~": "delete", "[4~": "end", "[5~": "pgup", "[6~": "pgdown", "[7~": "home", "[8~": "end",
}

const escape = 0x1b

// escapeWait is how long the rest of a sequence may take to arrive. Without a rest it was the
// escape key.
const escapeWait = 50 * time.Millisecond

// An inputEnded is why there will be no more keys.
type inputEnded struct{ err error }

// readKeys sends the keys that are pressed, and returns the error that reading ended with.
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

// nextKey is the key that the text begins with, and how many bytes that is. It is 0 if more has to be
// read to tell, which is never so if all has been read, and there is any.
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

// sequence is how long the sequence is that the text begins with, an escape character first; 0 if
// its end is not there yet.
func sequence(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch {
	case text[1] == escape: // the key, twice
		return 1
	case text[1] == 'O' && len(text) > 2:
		return 3
	case text[1] == 'O':
		return 0
	case text[1] != '[': // a character, with Alt held
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
			return 2 + i // nothing that a sequence may have
		case c >= '@':
			return 3 + i
		}
	}
	return 0
}

// A field is a line of text that is typed: what is before the cursor, and what is behind it.
type field struct{ before, after string }

func (f field) text() string { return f.before + f.after }

// typed is the field after a key.
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
