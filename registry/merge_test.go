package registry_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/tier"
)

// repository is a git repository with a source tree and its registry.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) *repository {
	tier.Test(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Fatal("this test merges with git; put it on PATH")
	}
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "trunk")
	return r
}

// git runs git in the repository and reports whether it succeeded.
func (r *repository) git(args ...string) (string, bool) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func (r *repository) must(args ...string) {
	r.t.Helper()
	if out, ok := r.git(args...); !ok {
		r.t.Fatalf("git %s: %s", strings.Join(args, " "), out)
	}
}

func (r *repository) write(name string, text []byte) {
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// tree reads the Go files of the work tree.
func (r *repository) tree() *tree {
	s := &tree{map[string]string{}}
	names, _ := filepath.Glob(filepath.Join(r.dir, "*", "*.go"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		rel, _ := filepath.Rel(r.dir, name)
		s.files[filepath.ToSlash(rel)] = string(text)
	}
	return s
}

// registry parses the registry of the work tree.
func (r *repository) registry() (*registry.Registry, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, registry.FileName))
	if err != nil && !os.IsNotExist(err) {
		r.t.Fatal(err)
	}
	return registry.Parse(registry.FileName, text)
}

// mark marks the work tree, writes the registry, commits both, and returns the IDs by name.
func (r *repository) mark(s *tree) map[string]registry.ID {
	r.t.Helper()
	for name, text := range s.files {
		r.write(name, []byte(text))
	}
	reg, err := r.registry()
	if err != nil {
		r.t.Fatal(err)
	}
	ids, reg := s.mark(r.t, reg)
	r.write(registry.FileName, reg.Format())
	r.must("add", "-A")
	r.must("commit", "-q", "--allow-empty", "-m", "mark")
	return ids
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name         string
		union        bool // with merge=union in .gitattributes
		ours, theirs func(*tree)
		conflict     bool // git reports a conflict in the registry
	}{
		{
			name:   "in two functions",
			ours:   func(s *tree) { s.replace("	var out", "	for range 3 {\n		println()\n	}\n	var out") },
			theirs: func(s *tree) { s.replace("	return b\n", "	for range 4 {\n		println()\n	}\n	return b\n") },
		},
		{
			name:   "in two functions that are neighbours in the registry",
			ours:   func(s *tree) { s.replace("	return b\n", "	for range 4 {\n		println()\n	}\n	return b\n") },
			theirs: func(s *tree) { s.replace("		n += 2\n	}\n", "		n += 2\n	}\n	for range 4 {\n		println()\n	}\n") },
		},
		{
			name: "a new function each",
			ours: func(s *tree) {
				s.replace("package p\n\nimport", "package p\n\nimport _ \"fmt\"\nimport")
				s.replace("// Lex splits.", "func Ahead() {\n	println()\n}\n\n// Lex splits.")
			},
			theirs: func(s *tree) { s.replace("func other", "func over() {\n	println()\n}\n\nfunc other") },
		},
		{
			name:     "a new function each, at one place in the registry",
			ours:     func(s *tree) { s.replace("// Lex splits.", "func more() {\n	println()\n}\n\n// Lex splits.") },
			theirs:   func(s *tree) { s.replace("func other", "func most() {\n	print()\n}\n\nfunc other") },
			conflict: true,
		},
		{
			name:   "a new function each, at one place in the registry, with union",
			union:  true,
			ours:   func(s *tree) { s.replace("// Lex splits.", "func more() {\n	println()\n}\n\n// Lex splits.") },
			theirs: func(s *tree) { s.replace("func other", "func most() {\n	print()\n}\n\nfunc other") },
		},
		{
			name:     "in one function",
			ours:     func(s *tree) { s.replace("	var out", "	for range 3 {\n		println()\n	}\n	var out") },
			theirs:   func(s *tree) { s.replace("	return out, nil", "	for range 4 {\n		println()\n	}\n	return out, nil") },
			conflict: true,
		},
		{
			name:   "in one function, with union",
			union:  true,
			ours:   func(s *tree) { s.replace("	var out", "	for range 3 {\n		println()\n	}\n	var out") },
			theirs: func(s *tree) { s.replace("	return out, nil", "	for range 4 {\n		println()\n	}\n	return out, nil") },
		},
		{
			name:   "the same addition",
			ours:   func(s *tree) { s.replace("	return b\n", "	for range 4 {\n		println()\n	}\n	return b\n") },
			theirs: func(s *tree) { s.replace("	return b\n", "	for range 4 {\n		println()\n	}\n	return b\n") },
		},
		{
			name: "an equal loop each",
			ours: func(s *tree) {
				s.replace("(n int) {\n	for range s {\n		n++\n	}\n	for", "(n int) {\n	for range s {\n		n--\n	}\n	for range s {\n		n++\n	}\n	for")
			},
			theirs:   func(s *tree) { s.replace("		n += 2\n	}\n", "		n += 2\n	}\n	for range s {\n		n += 3\n	}\n") },
			conflict: true,
		},
		{
			name:   "a renaming and an edit elsewhere in the function, with union",
			union:  true,
			ours:   func(s *tree) { s.replace("func Lex(", "func Split(") },
			theirs: func(s *tree) { s.replace("	for _, o := range out {\n", "	for k, o := range out {\n		println(k)\n") },
		},
		{
			name:   "a deletion and an addition, with union",
			union:  true,
			ours:   func(s *tree) { s.replace("	if a > b {\n		return a\n	}\n", "") },
			theirs: func(s *tree) { s.replace("	var out", "	for range 3 {\n		println()\n	}\n	var out") },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			if test.union {
				r.write(".gitattributes", registry.Attributes(nil))
			}
			base := r.mark(newTree(lexer))
			r.must("checkout", "-q", "-b", "ours")
			ours := newTree(lexer)
			test.ours(ours)
			ourIDs := r.mark(ours)
			r.must("checkout", "-q", "-b", "theirs", "trunk")
			theirs := newTree(lexer)
			test.theirs(theirs)
			theirIDs := r.mark(theirs)

			out, clean := r.git("merge", "-q", "-m", "merge", "ours")
			if clean == test.conflict {
				t.Fatalf("clean: %v\n%s", clean, out)
			}
			if !clean {
				if conflicts, _ := r.git("diff", "--name-only", "--diff-filter=U"); conflicts != registry.FileName+"\n" {
					t.Fatalf("conflicts in %q", conflicts)
				}
				_, err := r.registry()
				if err == nil || !strings.Contains(err.Error(), "merge conflict") {
					t.Fatalf("the conflict in the registry is not reported: %v", err)
				}
				r.keepBoth()
			}
			merged := r.mark(r.tree())

			// Every marker of either branch, or of their base, still has its ID.
			were := map[registry.ID]bool{}
			for _, ids := range []map[string]registry.ID{base, ourIDs, theirIDs} {
				for _, id := range ids {
					were[id] = true
				}
			}
			fresh := 0
			for name, id := range merged {
				if !were[id] {
					t.Logf("new: %s", name)
					fresh++
				}
			}
			if fresh > 0 {
				t.Errorf("%d of %d markers lost their IDs in the merge", fresh, len(merged))
			}
			reg, err := r.registry()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range reg.Entries() {
				delete(were, e.ID)
			}
			if len(were) > 0 {
				t.Errorf("%d IDs are gone from the registry", len(were))
			}
		})
	}
}

// keepBoth resolves conflicts as the error message says.
func (r *repository) keepBoth() {
	path := filepath.Join(r.dir, registry.FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		if !bytes.HasPrefix(line, []byte("<<<<<<<")) && !bytes.HasPrefix(line, []byte("=======")) && !bytes.HasPrefix(line, []byte(">>>>>>>")) {
			kept = append(kept, line...)
		}
	}
	r.write(registry.FileName, kept)
}

func TestAttributes(t *testing.T) {
	const line, tables = "markgen.registry merge=union\n", "markgen_table*.go merge=union\n"
	tests := []struct{ before, after string }{
		{"", line + tables},
		{"*.go text", "*.go text\n" + line + tables},
		{"*.go text\n", "*.go text\n" + line + tables},
		{"a\n" + line + "b", "a\n" + line + "b\n" + tables},
		{"a\n" + tables + line + "b", "a\n" + tables + line + "b"},
		{"markgen.registry -text\n", "markgen.registry -text\n" + line + tables},
		{"markgen.registry\tmerge=binary text\n", "markgen.registry\tmerge=binary text\n" + tables},
		{"# markgen.registry merge=union\r\n", "# markgen.registry merge=union\r\n" + line + tables},
	}
	for _, test := range tests {
		if got := string(registry.Attributes([]byte(test.before))); got != test.after {
			t.Errorf("%q: %q, want %q", test.before, got, test.after)
		}
	}
}
