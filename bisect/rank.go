package bisect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A rank says how likely it is that a commit changes the figure, as far as the source tells.
type rank int

const (
	unlikely rank = iota // no Go code changes: other files, comments, layout
	code                 // a declaration or the go.mod changes
	related              // a declaration changes that has, uses or is used by a function of the marker
)

// mostBlobs is the number of files that are read from git and compared at a time.
const mostBlobs = 500

// rankCommits ranks the commits between two.
func rankCommits(ctx context.Context, git Git, old, new string, names []string) (map[string]rank, error) {
	log, err := git(ctx, "", "log", "--format=commit %H", "--diff-merges=first-parent", "--raw", "-r", "--no-renames", "--no-abbrev", new, "^"+old)
	if err != nil {
		return nil, err
	}
	ranks := map[string]rank{}
	var edits []edit
	commit := ""
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		if c, ok := strings.CutPrefix(line, "commit "); ok {
			commit = c
			continue
		}
		meta, name, _ := strings.Cut(line, "\t")
		fields := strings.Fields(meta) // :100644 100644 OLD NEW M
		if len(fields) != 5 {
			continue
		}
		switch {
		case path.Base(name) == "go.mod":
			ranks[commit] = code
		case path.Ext(strings.TrimSuffix(name, `"`)) == ".go":
			edits = append(edits, edit{commit, fields[2], fields[3]})
		}
	}
	s := &source{names: names, uses: map[string]bool{}}
	for chunk := range slices.Chunk(edits, mostBlobs/2) {
		if err := s.read(ctx, git, chunk); err != nil {
			return nil, err
		}
	}
	for _, d := range s.changed {
		r := code
		if d.mentions || s.uses[d.name] {
			r = related
		}
		ranks[d.commit] = max(ranks[d.commit], r)
	}
	return ranks, nil
}

// An edit is a Go file changed by a commit, with the hashes of its contents, all zeros if missing.
type edit struct{ commit, old, new string }

// source is what rankCommits learns from the files.
type source struct {
	names   []string        // functions of the marker
	uses    map[string]bool // identifiers in their declarations
	changed []changed
}

// changed is a declaration that a commit changes.
type changed struct {
	commit   string
	name     string // without a receiver
	mentions bool   // it has, or uses, one of the names
}

// A declaration is one of a file, or a part of it that declares one thing.
type declaration struct {
	name     string
	hash     [sha256.Size]byte // of the tokens, without comments
	mentions bool
}

// read compares the contents of files.
func (s *source) read(ctx context.Context, git Git, edits []edit) error {
	files := map[string]map[string]declaration{}
	var ask strings.Builder
	for _, e := range edits {
		for _, hash := range []string{e.old, e.new} {
			if files[hash] == nil && strings.Trim(hash, "0") != "" {
				files[hash] = map[string]declaration{}
				fmt.Fprintln(&ask, hash)
			}
		}
	}
	text, err := git(ctx, ask.String(), "cat-file", "--batch")
	if err != nil {
		return err
	}
	for rest := text + "\n"; rest != ""; {
		head, after, _ := strings.Cut(rest, "\n")
		fields := strings.Fields(head) // HASH blob SIZE
		size, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil || size+1 > len(after) {
			return fmt.Errorf("git cat-file: %q is not expected", head)
		}
		files[fields[0]] = s.declarations([]byte(after[:size]))
		rest = after[size+1:]
	}
	for _, e := range edits {
		old, new := files[e.old], files[e.new]
		for key, d := range new {
			if old[key].hash != d.hash {
				s.changed = append(s.changed, changed{e.commit, d.name, d.mentions || old[key].mentions})
			}
		}
		for key, d := range old {
			if _, ok := new[key]; !ok {
				s.changed = append(s.changed, changed{e.commit, d.name, d.mentions})
			}
		}
	}
	return nil
}

// declarations returns the declarations of a file, as far as it can be parsed, by a key.
func (s *source) declarations(text []byte) map[string]declaration {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	all := map[string]declaration{}
	add := func(kind, name string, node ast.Node) {
		from, to := fset.Position(node.Pos()).Offset, fset.Position(node.End()).Offset
		d := s.declaration(name, text[from:min(to, len(text))])
		key := kind + " " + name
		for all[key] != (declaration{}) { // init and _ may be declared more than once
			key += "'"
		}
		all[key] = d
	}
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			kind := "func"
			if decl.Recv != nil && len(decl.Recv.List) == 1 {
				kind = receiver(decl.Recv.List[0].Type)
			}
			add(kind, decl.Name.Name, decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add("type", spec.Name.Name, spec)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						add(decl.Tok.String(), name.Name, spec)
					}
				case *ast.ImportSpec:
					add("import", spec.Path.Value, spec)
				}
			}
		}
	}
	return all
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	name := ""
	ast.Inspect(t, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// declaration reads the tokens of a declaration.
func (s *source) declaration(name string, text []byte) declaration {
	d := declaration{name: name, mentions: slices.Contains(s.names, name)}
	own := d.mentions
	h := sha256.New()
	var sc scanner.Scanner
	sc.Init(token.NewFileSet().AddFile("", -1, len(text)), bytes.Clone(text), nil, 0)
	for {
		_, tok, literal := sc.Scan()
		if tok == token.EOF {
			break
		}
		fmt.Fprintf(h, "%s %s\x00", tok, literal)
		if tok == token.IDENT {
			d.mentions = d.mentions || slices.Contains(s.names, literal)
			if own {
				s.uses[literal] = true
			}
		}
	}
	h.Sum(d.hash[:0])
	return d
}
