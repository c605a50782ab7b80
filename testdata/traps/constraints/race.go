//go:build race

package main

func number(n int) int { return n }
