package main

import (
	_ "embed"
	"os"
	"testing"
)

//go:embed sub/sub.go
var text string

func TestEmbedded(t *testing.T) {
	for name, got := range map[string]string{"main.go": self, "sub/sub.go": text} {
		if want, err := os.ReadFile(name); err != nil || got != string(want) {
			t.Errorf("%s is embedded with %d bytes, and has %d (%v)", name, len(got), len(want), err)
		}
	}
}
