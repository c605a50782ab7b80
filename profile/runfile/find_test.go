package runfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/markgen/markgen/profile/profiletest"
	"github.com/markgen/markgen/profile/runfile"
)

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	put := func(name string, content []byte) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data := profiletest.TwoUnits()
	for _, name := range []string{"a.markgen", "b.markgen", "runs/2", "runs/1", "runs/deeper/3", "perf/old/1", "[x].markgen"} {
		put(name, data)
	}
	put("notes.txt", []byte("markgen is mentioned\n"))
	put("runs/notes.txt", nil)
	put("docs/index.txt", []byte("text"))

	for _, tt := range []struct {
		name string
		want []string
		err  string
	}{
		{"a.markgen", []string{"a.markgen"}, ""},
		{"notes.txt", []string{"notes.txt"}, ""}, // an explicit name is not checked
		{"runs", []string{"runs/1", "runs/2"}, ""},
		{"runs/", []string{"runs/1", "runs/2"}, ""},
		{"[ab].markgen", []string{"a.markgen", "b.markgen"}, ""},
		{"[x].markgen", []string{"[x].markgen"}, ""},
		{"runs/*", []string{"runs/1", "runs/2"}, ""},
		{"*", []string{"[x].markgen", "a.markgen", "b.markgen"}, ""},
		{"none.markgen", nil, "none.markgen: there is no such file; give data files of marked programs, or folders of them"},
		{"z*", nil, "z*: no file matches; give data files of marked programs, or folders of them"},
		{"*.txt", nil, "*.txt: none of the 1 files that match is a data file of a marked program; give data files, or folders of them"},
		{"docs", nil, "docs: no data file of a marked program is in this folder; give a folder that has some"},
		{"perf", nil, "perf: no data file of a marked program is in this folder; give a folder that has some, such as " + filepath.Join("perf", "old")},
		{"[a", nil, "[a: syntax error in pattern; quote brackets that belong to a name with a backslash"},
	} {
		t.Run(strings.ReplaceAll(tt.name, "/", ":"), func(t *testing.T) {
			got, err := runfile.Find("", tt.name)
			for i := range got {
				got[i] = filepath.ToSlash(got[i])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}

	// The same relative to another folder, whose name is not a pattern.
	dir := filepath.Join(t.TempDir(), "[a]*")
	if err := os.Rename("runs", dir); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "1"), filepath.Join(dir, "2")}
	for _, name := range []string{".", "*", "[12]", filepath.Join(dir, ".")} {
		got, err := runfile.Find(dir, name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s in %s: %v\n%s", name, dir, err, diff)
		}
	}
}
