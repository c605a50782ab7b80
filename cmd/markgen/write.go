package main

import (
	"context"

	"github.com/markgen/markgen/filewrite"
)

// writeFile replaces the contents of a file in one step.
func writeFile(path string, text []byte) error {
	return filewrite.Write(context.Background(), path, text)
}
