//go:build go1.22

package main

import "fmt"

func own() (s string) {
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { return i })
	}
	for i := range 2 {
		fs = append(fs, func() int { return 10 + i })
	}
	for _, f := range fs {
		s += fmt.Sprint(f(), " ")
	}
	return s
}
