//go:build goexperiment.arenas

package main

import "arena"

func init() {
	calls["arena"] = func(int) {
		a := arena.NewArena()
		bytes = arena.MakeSlice[byte](a, 1000, 1000)
		bytes = nil
		a.Free()
	}
}
