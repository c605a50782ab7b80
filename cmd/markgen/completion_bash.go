package main

import "strings"

// bashWords splits a command line up to the cursor as bash does, without the program's name. Bash
// replaces only current, the part of the last word after the last character of COMP_WORDBREAKS.
// rest converts a completion of the whole word to its replacement for current, quoted like the
// word.
func bashWords(line, current string) (words []string, rest func(string) string) {
	raw, quote := "", byte(0)
	for {
		line = strings.TrimLeft(line, " \t\n")
		raw, line, quote = bashWord(line)
		words = append(words, unquote(raw))
		if line == "" {
			break
		}
	}
	if len(words) > 1 {
		words = words[1:]
	}
	if strings.Trim(current, `"'><=;|&(:`) == "" && quote == 0 {
		current = "" // a character at which bash breaks words
	}
	before := unquote(strings.TrimSuffix(raw, current))
	return words, func(value string) string {
		value = strings.TrimPrefix(value, before)
		if quote != 0 {
			return value
		}
		var b strings.Builder
		for _, r := range value {
			if strings.ContainsRune(" \t\"'\\`$&|;<>()[]{}*?!#~", r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		return b.String()
	}
}

// bashWord returns the first word of a line, unchanged, the rest of the line, and the quote that is
// open at the end of the word, or 0.
func bashWord(line string) (raw, rest string, quote byte) {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' || c == '\t' || c == '\n':
			return line[:i], line[i:], 0
		}
	}
	return line, "", quote
}

// unquote removes quotes and backslashes from a word.
func unquote(raw string) string {
	var b strings.Builder
	quote := byte(0)
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && quote == 0 && i+1 < len(raw):
			i++
			b.WriteByte(raw[i])
		case c == '\\' && quote == '"' && i+1 < len(raw) && strings.IndexByte("$`\"\\", raw[i+1]) >= 0:
			i++
			b.WriteByte(raw[i])
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
