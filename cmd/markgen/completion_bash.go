package main

import "strings"

// bashWords takes a command line apart as bash does, up to the cursor, and leaves out the program's name. What bash
// replaces is only current, the end of the last word behind the last character of COMP_WORDBREAKS: rest
// makes that of what the whole word is to become, quoted as the word is.
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
		current = "" // one that bash breaks words at
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

// bashWord returns the first word of a line as it is written there, the line behind it, and the
// quote that is open at the end of the word, 0 for none.
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

// unquote takes quotes and backslashes out of a word.
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
