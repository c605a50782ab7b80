package main

import (
	"errors"
	"strconv"
	"strings"
)

// request is a line of the log.
type request struct {
	address, path, agent string
	second               int64
	ms                   int
}

var (
	errFields = errors.New("too few fields")
	errNumber = errors.New("not a number")
)

// parse reads one line: ADDRESS SECOND PATH MS AGENT.
//
//perf:mark size=len(line)
func parse(line string) (r request, err error) {
	fields, rest := [4]string{}, line
	for i := range fields {
		field, after, ok := strings.Cut(rest, " ")
		if !ok {
			return r, errFields
		}
		fields[i], rest = field, after
	}
	r.address, r.path = fields[0], fields[2]
	if r.second, err = strconv.ParseInt(fields[1], 10, 64); err != nil {
		return r, errNumber
	}
	if r.ms, err = strconv.Atoi(fields[3]); err != nil {
		return r, errNumber
	}
	if strings.HasPrefix(rest, `"`) {
		r.agent, err = strconv.Unquote(rest)
	} else {
		r.agent = rest
	}
	return r, err
}

// chunks cuts text into n parts of about the same size that end at the end of a line.
func chunks(text string, n int) (parts []string) {
	for ; n > 1; n-- {
		end := strings.IndexByte(text[len(text)/n:], '\n')
		if end < 0 {
			break
		}
		end += len(text)/n + 1
		parts = append(parts, text[:end])
		text = text[end:]
	}
	return append(parts, text)
}
