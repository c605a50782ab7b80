package main

import "testing"

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		run(inc{}, 100000)
	}
}
