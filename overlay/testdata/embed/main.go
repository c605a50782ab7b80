// Command embed prints what it has of its own source.
package main

import (
	"embed"
	"fmt"
	"hash/crc32"
	"io/fs"

	"example.com/embed/sub"
)

//go:embed main.go
var self string

//go:embed * sub/sub.go
var all embed.FS

func show(fsys fs.FS) error {
	return fs.WalkDir(fsys, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(fsys, path)
		fmt.Println(path, len(text), crc32.ChecksumIEEE(text))
		return err
	})
}

func main() {
	fmt.Println(len(self), len(sub.Own))
	if err := show(all); err != nil {
		panic(err)
	}
}
