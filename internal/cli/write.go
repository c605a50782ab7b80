package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/markgen/markgen/filewrite"
	"github.com/markgen/markgen/internal/interrupt"
)

// WriteFile atomically replaces the content of a file.
func WriteFile(path string, text []byte) error {
	return filewrite.Write(context.Background(), path, text)
}

// Stream writes the output of write to a file: atomically to a regular file, directly to a device
// or a pipe; "" is standard output. If it is interrupted, an existing file is unchanged and no
// other file is left.
func (e *Env) Stream(ctx context.Context, name string, write func(io.Writer) error) error {
	if name == "" {
		return write(e.Stdout)
	}
	if e.IsFolder(name) {
		return fmt.Errorf("%s is a directory; name a file", name)
	}
	name = e.Path(name)
	if info, err := os.Stat(name); err != nil || info.Mode().IsRegular() {
		ctx, stop := interrupt.Context(ctx)
		defer stop()
		return filewrite.Stream(ctx, name, write)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// Put is Stream with the content in memory.
func (e *Env) Put(ctx context.Context, name string, content []byte) error {
	return e.Stream(ctx, name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// IsFolder reports whether name is a directory.
func (e *Env) IsFolder(name string) bool {
	info, err := os.Stat(e.Path(name))
	return err == nil && info.IsDir()
}
