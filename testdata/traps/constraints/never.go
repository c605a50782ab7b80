//go:build never

package main

import "example.com/does/not/exist"

func variant(n int) string { return exist.Variant(n) }
