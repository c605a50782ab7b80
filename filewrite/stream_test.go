package filewrite

import (
	"context"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// The file is replaced when all parts are written, and unchanged after any error.
func TestStream(t *testing.T) {
	dir, _ := makeTree(t)
	before := tree(t, dir)
	failed := errors.New("no more to be read")
	ctx, cancel := context.WithCancel(t.Context())
	for _, tt := range []struct {
		name  string
		write func(w io.Writer) error
		want  string
	}{
		{"a", func(w io.Writer) error { io.WriteString(w, "half"); return failed }, failed.Error()},
		{"new", func(w io.Writer) error { return failed }, failed.Error()},
		{"b", func(w io.Writer) error {
			io.WriteString(w, "half")
			cancel()
			_, err := io.WriteString(w, "half")
			return err
		}, context.Canceled.Error()},
		{"c", func(io.Writer) error { return nil }, context.Canceled.Error()},
		{"no/such", func(io.Writer) error { return nil }, "make the directory"},
	} {
		c := ctx
		if tt.name == "no/such" {
			c = t.Context()
		}
		if err := Stream(c, filepath.Join(dir, tt.name), tt.write); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
		if after := tree(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: there is %v", tt.name, after)
		}
	}

	for _, name := range []string{"a", "link", "new"} {
		err := Stream(t.Context(), filepath.Join(dir, name), func(w io.Writer) error {
			for range 1000 {
				if _, err := io.WriteString(w, "0123456789"); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	got := tree(t, dir)
	for name, mode := range map[string]string{"a": "-rw------- ", "real": "-rw-r----- ", "new": "-rw-"} {
		if text := got[filepath.Join(dir, name)]; !strings.HasPrefix(text, mode) || !strings.HasSuffix(text, strings.Repeat("0123456789", 1000)) {
			t.Errorf("%s is %.30q", name, text)
		}
	}
	if len(got) != 6 {
		t.Errorf("there are %d files", len(got))
	}
}
