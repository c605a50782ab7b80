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

// WriteFile replaces the contents of a file in one step.
func WriteFile(path string, text []byte) error {
	return filewrite.Write(context.Background(), path, text)
}

// Stream gives a file what write writes: a new one as a whole, a device or a pipe as it comes; "" is stdout. Interrupted, it leaves
// what was there, and nothing else.
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

// Put is Stream for what is there as a whole.
func (e *Env) Put(ctx context.Context, name string, content []byte) error {
	return e.Stream(ctx, name, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// IsFolder tells whether there is a directory of that name.
func (e *Env) IsFolder(name string) bool {
	info, err := os.Stat(e.Path(name))
	return err == nil && info.IsDir()
}
