package overlay

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Every run gets a new file with the same name; earlier ones are kept, up to a limit.
func TestCopies(t *testing.T) {
	program, want := filepath.Join(t.TempDir(), "x.test"), []byte("a program")
	if err := os.WriteFile(program, want, 0o700); err != nil {
		t.Fatal(err)
	}
	c := CopiesOf(program)
	var made []string
	for range 5 {
		name, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) || filepath.Base(name) != "x.test" {
			t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(want))
		}
		if info, err := os.Stat(name); err != nil || info.Mode()&0o100 == 0 {
			t.Errorf("%s cannot be run: %v", name, err)
		}
		for _, before := range append(made, program) {
			if same(t, before, name) {
				t.Errorf("%s is %s", name, before)
			}
		}
		made = append(made, name)
	}

	// Of large ones the last two are kept.
	c = CopiesOf(program)
	c.most = int64(2*len(want) - 1)
	for i := range made {
		if err := os.RemoveAll(filepath.Dir(made[i])); err != nil {
			t.Fatal(err)
		}
		name, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		made[i] = name
	}
	for i, name := range made {
		if _, err := os.Stat(name); (err == nil) != (i >= len(made)-2) {
			t.Errorf("copy %d of %d: %v", i+1, len(made), err)
		}
	}
}

func same(t *testing.T, a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.Stat(b)
	if err != nil {
		t.Fatal(err)
	}
	return os.SameFile(x, y)
}
