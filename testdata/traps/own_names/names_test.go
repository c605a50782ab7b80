package ownnames

import "testing"

var said string

func panic(s string) { said = s }

func recover() int { return 4 }

func min(a, _ int) int { return a }

func TestNames(t *testing.T) {
	n := recover()
	n++
	if got := sum(make([]int, 50)); got != 150 || n != 5 || said != "big" {
		t.Fatal(got, n, said)
	}
}
