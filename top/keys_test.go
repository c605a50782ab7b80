package top

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Key sequences are recognized, however they are split.
func TestKeys(t *testing.T) {
	for _, tt := range []struct {
		sent string
		want []key
	}{
		{"q", []key{"q"}},
		{"pä世 ", []key{"p", "ä", "世", " "}},
		{"\x1b", []key{"esc"}},
		{"\x1b\x1b", []key{"esc", "esc"}},
		{"\x1b[A\x1bOBx\x1b[C\x1b[D", []key{"up", "down", "x", "right", "left"}},
		{"\x1b[H\x1b[1~\x1bOH\x1b[7~\x1b[F\x1b[4~", []key{"home", "home", "home", "home", "end", "end"}},
		{"\x1b[5~\x1b[6~\x1b[3~", []key{"pgup", "pgdown", "delete"}},
		{"\r\n\x7f\b\x01\x03\x1a", []key{"enter", "enter", "backspace", "backspace", "ctrl+a", "ctrl+c", "ctrl+z"}},
		{"\x1b[1;5Az", []key{"\x1b[1;5A", "z"}}, // an arrow with Ctrl
		{"\x1b[[Az", []key{"\x1b[[A", "z"}},     // F1 of the Linux console
		{"\x1b[200~q\x1b[201~", []key{"\x1b[200~", "q", "\x1b[201~"}},
		{"\x1bqz\x1bäz", []key{"\x1bq", "z", "\x1bä", "z"}}, // with Alt
		{"\x1b[\x03", []key{"\x1b[", "ctrl+c"}},
		{"\x1b[5", []key{"esc", "[", "5"}}, // nothing more arrives
		{"\xff\xe4", []key{"\ufffd", "\ufffd"}},
	} {
		for _, chunk := range []int{1, 2, 3, 100} {
			if got := keysOf(tt.sent, chunk); !slices.Equal(got, tt.want) {
				t.Errorf("%q, %d bytes at a time: %q, want %q", tt.sent, chunk, got, tt.want)
			}
		}
	}
}

// keysOf returns the keys of a text that arrives in chunks without delay.
func keysOf(text string, chunk int) (keys []key) {
	var read []byte
	for {
		k, n := nextKey(read, text == "")
		switch {
		case n > 0:
			keys, read = append(keys, k), read[n:]
		case text == "":
			return keys
		default:
			n := min(chunk, len(text))
			read, text = append(read, text[:n]...), text[n:]
		}
	}
}

// Any input gives keys, and nothing is lost.
func FuzzKeys(f *testing.F) {
	f.Add("a\x1b[A\x1bO\x1b[1;\xffé\x1b[[\x1b\x1b[")
	f.Fuzz(func(t *testing.T, text string) {
		read := []byte(text)
		for len(read) > 0 {
			k, n := nextKey(read, true)
			if n <= 0 || n > len(read) || k == "" {
				t.Fatalf("of %q: %q, %d bytes", read, k, n)
			}
			if m, _ := nextKey(read, false); m != k && m != "" {
				t.Fatalf("of %q: %q, and %q while there may be more", read, k, m)
			}
			read = read[n:]
		}
	})
}

// The escape key is recognized if nothing follows; after a read error, no more keys are awaited.
func TestReadKeys(t *testing.T) {
	in, out := io.Pipe()
	keys, ended := make(chan message), make(chan message)
	go func() { ended <- readKeys(in, func(msg message) { keys <- msg }) }()
	begun := time.Now()
	io.WriteString(out, "\x1b")
	if k := <-keys; k != key("esc") || time.Since(begun) < escapeWait {
		t.Errorf("%q after %v", k, time.Since(begun))
	}
	io.WriteString(out, "j")
	if k := <-keys; k != key("j") {
		t.Errorf("%q", k)
	}
	out.Close()
	if end := <-ended; end != (inputEnded{io.EOF}) {
		t.Errorf("ended with %v", end)
	}
}

// A filter can be typed and corrected.
func TestField(t *testing.T) {
	for _, tt := range []struct {
		keys []key
		want string // | is the cursor
	}{
		{[]key{"a", " ", "世"}, "a 世|"},
		{[]key{"a", "b", "left", "x"}, "ax|b"},
		{[]key{"a", "b", "ctrl+b", "ctrl+b", "ctrl+b", "x"}, "x|ab"},
		{[]key{"a", "b", "home", "delete"}, "|b"},
		{[]key{"a", "b", "ctrl+a", "right", "right", "right", "x"}, "abx|"},
		{[]key{"a", "b", "ctrl+a", "end", "ctrl+d"}, "ab|"},
		{[]key{"ä", "ö", "backspace"}, "ä|"},
		{[]key{"ä", "ö", "left", "ctrl+u"}, "|ö"},
		{[]key{"ä", "ö", "left", "ctrl+k"}, "ä|"},
		{[]key{"a", "home", "backspace", "x"}, "x|a"},
		{[]key{"a", "up", "\x1b[1;5A", "\x01", "ctrl+q"}, "a|"},
	} {
		var f field
		for _, k := range tt.keys {
			f = f.typed(k)
		}
		if got := f.before + "|" + f.after; got != tt.want {
			t.Errorf("%q: %s, want %s", tt.keys, got, tt.want)
		}
	}
}

// The cursor is always visible, and control characters in the filter are harmless.
func TestFieldLine(t *testing.T) {
	f := field{"path/\x1b[2Jto/", "世x"}
	for width := 1; width < 30; width++ {
		line := f.line("filter: ", width)
		if !strings.Contains(line, "\x1b[7m世\x1b[m") {
			t.Errorf("%d wide: %q", width, line)
		}
		if text := styles.ReplaceAllString(line, ""); utf8.RuneCountInString(text) > width || strings.Contains(text, "\x1b") {
			t.Errorf("%d wide: %q", width, text)
		}
	}
	if got, want := (field{before: "ab"}).line("filter: ", 80), "filter: ab\x1b[7m \x1b[m"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
