package main

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
)

// Blocks that overlap are of sources that differ; those that touch, or are in other files, are not.
func TestOneSource(t *testing.T) {
	block := func(file string, line, col, endLine, endCol int) profile.Block {
		return profile.Block{File: file, StartLine: line, StartCol: col, EndLine: endLine, EndCol: endCol}
	}
	for _, test := range []struct {
		name   string
		blocks []profile.Block
		want   string // in the error
	}{
		{"touching", []profile.Block{block("m/a.go", 3, 10, 5, 2), block("m/a.go", 5, 2, 7, 4)}, ""},
		{"two files", []profile.Block{block("m/a.go", 3, 10, 9, 2), block("m/b.go", 4, 1, 7, 4)}, ""},
		{"moved by a line", []profile.Block{block("m/a.go", 3, 10, 5, 2), block("m/a.go", 4, 10, 6, 2)}, "in m/a.go, the blocks from 3.10 to 5.2 and from 4.10 to 6.2 overlap"},
		{"moved in a line", []profile.Block{block("m/a.go", 3, 10, 5, 9), block("m/a.go", 5, 8, 6, 2)}, "overlap"},
	} {
		err := oneSource(test.blocks)
		if (err != nil) != (test.want != "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
