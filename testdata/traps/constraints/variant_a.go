//go:build !special

package main

import "fmt"

func variant(n int) (s string) {
	for i := range n {
		s += fmt.Sprint("a", i)
	}
	return s
}
