//go:build special && !never

package main

func variant(n int) (s string) {
	if n > 2 {
		return "special"
	} else {
		return "b"
	}
}
