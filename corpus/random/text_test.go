package random_test

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/markgen/markgen/corpus/random"
)

// A seed always gives the same program, different seeds give different ones, and all can be parsed.
func TestProgramText(t *testing.T) {
	seeds := map[string]uint64{}
	for seed := range uint64(4) {
		text, err := random.Program(seed, 10)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := random.Program(seed, 10); err != nil || again != text {
			t.Errorf("seed %d: another text, %v", seed, err)
		}
		if other, ok := seeds[text]; ok {
			t.Errorf("seeds %d and %d: the same text", other, seed)
		}
		seeds[text] = seed
		if _, err := parser.ParseFile(token.NewFileSet(), "main.go", text, parser.SkipObjectResolution); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
