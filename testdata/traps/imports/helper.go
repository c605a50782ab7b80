package main

import (
	"os"
	perf "path"
)

import markgen_perf "path/filepath"

func helper(i int) (s string) {
	if i > 0 {
		s = perf.Base(os.DevNull)
	} else {
		s = markgen_perf.Ext("a.b")
	}
	return
}
