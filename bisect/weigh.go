package bisect

import (
	"context"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The weight of a commit grows with the probability that it changes the figure, as far as the source
// tells: by the distance of the declarations that it changes from the marker's function, in steps
// between what uses and what is used, by name. A wrong guess costs little: a search takes about as
// many commits as the logarithm, to base 2, of the quotient of all weights and that of the commit
// found.
var weightAt = [...]int{64, 64, 32, suspect}

const (
	suspect = 16
	code    = 2 // it changes other Go code, or go.mod; what changes neither has 1
)

// mostBlobs is the number of files that are read from git at a time.
const mostBlobs = 500

// weigh returns the weights of the commits between two.
func weigh(ctx context.Context, git Git, old, new string, names []string) (map[string]int, error) {
	log, err := git(ctx, "", "log", "--format=commit %H", "--diff-merges=first-parent", "--raw", "-r", "--no-renames", "--no-abbrev", new, "^"+old)
	if err != nil {
		return nil, err
	}
	weights := map[string]int{}
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
		switch {
		case len(fields) != 5:
		case path.Base(name) == "go.mod":
			weights[commit] = code
		case isGo(name):
			edits = append(edits, edit{commit, fields[2], fields[3]})
		}
	}
	distance, err := distances(ctx, git, new, names)
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(edits, mostBlobs/2) {
		var hashes []string
		for _, e := range chunk {
			hashes = append(hashes, e.old, e.new)
		}
		files, err := read(ctx, git, hashes)
		if err != nil {
			return nil, err
		}
		for _, e := range chunk {
			for d := range changed(files[e.old], files[e.new]) {
				w := code
				if n, ok := distance[d.name]; ok {
					w = weightAt[n]
				} else if slices.ContainsFunc(names, d.mentions) {
					w = weightAt[1]
				}
				weights[e.commit] = max(weights[e.commit], w)
			}
		}
	}
	return weights, nil
}

// isGo reports whether a file is Go source; git quotes unusual names.
func isGo(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, `"`), ".go") }

// distances returns the distances of declarations from names, by name, in the source of a commit. A
// name is one step from those that its declarations mention, and that mention it.
func distances(ctx context.Context, git Git, commit string, names []string) (map[string]int, error) {
	tree, err := git(ctx, "", "ls-tree", "-r", commit)
	if err != nil {
		return nil, err
	}
	var hashes []string
	for line := range strings.Lines(tree) { // 100644 blob HASH\tNAME
		meta, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if fields := strings.Fields(meta); isGo(name) && fields[1] == "blob" {
			hashes = append(hashes, fields[2])
		}
	}
	near := map[string][]string{}
	declared := map[string]bool{}
	for chunk := range slices.Chunk(hashes, mostBlobs) {
		files, err := read(ctx, git, chunk)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			for _, d := range f {
				declared[d.name] = true
				for word := range d.words {
					near[d.name] = append(near[d.name], word)
					near[word] = append(near[word], d.name)
				}
			}
		}
	}
	distance := map[string]int{}
	front := names
	for n := range weightAt {
		var beyond []string
		for _, name := range front {
			if _, ok := distance[name]; !ok && declared[name] {
				distance[name] = n
				beyond = append(beyond, near[name]...)
			}
		}
		front = beyond
	}
	return distance, nil
}

// An edit is a Go file changed by a commit, with the hashes of its contents, all zeros if missing.
type edit struct{ commit, old, new string }

// A declaration is one of a file, or a part of it that declares one name.
type declaration struct {
	name  string            // without a receiver
	hash  [sha256.Size]byte // of the tokens, without comments
	words map[string]bool   // identifiers
}

func (d *declaration) mentions(name string) bool { return d.words[name] }

// changed returns the declarations that differ between two versions of a file.
func changed(old, new map[string]*declaration) iter.Seq[*declaration] {
	return func(yield func(*declaration) bool) {
		for key, d := range new {
			if was := old[key]; (was == nil || was.hash != d.hash) && !yield(d) {
				return
			}
		}
		for key, d := range old {
			if new[key] == nil && !yield(d) {
				return
			}
		}
	}
}

// read reads the declarations of files from git, by hash. Hashes of zeros are of missing files.
func read(ctx context.Context, git Git, hashes []string) (map[string]map[string]*declaration, error) {
	files := map[string]map[string]*declaration{}
	var ask strings.Builder
	for _, hash := range hashes {
		if _, ok := files[hash]; !ok && strings.Trim(hash, "0") != "" {
			files[hash] = nil
			fmt.Fprintln(&ask, hash)
		}
	}
	if ask.Len() == 0 {
		return files, nil
	}
	text, err := git(ctx, ask.String(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	for rest := text + "\n"; rest != ""; {
		head, after, _ := strings.Cut(rest, "\n")
		fields := strings.Fields(head) // HASH blob SIZE, or HASH missing
		if len(fields) < 3 {
			rest = after
			continue
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size+1 > len(after) {
			return nil, fmt.Errorf("git cat-file: %q is not expected", head)
		}
		files[fields[0]] = declarations([]byte(after[:size]))
		rest = after[size+1:]
	}
	return files, nil
}

// declarations returns the declarations of a file by a key, as far as it can be parsed.
func declarations(text []byte) map[string]*declaration {
	fset := token.NewFileSet()
	f, _ := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if f == nil {
		return nil
	}
	all := map[string]*declaration{}
	add := func(kind, name string, node ast.Node) {
		key := kind + " " + name
		for all[key] != nil { // init and _ may be declared more than once
			key += "'"
		}
		file := fset.File(f.FileStart)
		from, to := file.Offset(node.Pos()), file.Offset(node.End())
		all[key] = newDeclaration(name, text[from:max(from, to)])
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
						add("value", name.Name, spec)
					}
				}
			}
		}
	}
	return all
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) (name string) {
	ast.Inspect(t, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// newDeclaration reads the tokens of a declaration.
func newDeclaration(name string, text []byte) *declaration {
	d := &declaration{name: name, words: map[string]bool{}}
	h := sha256.New()
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		_, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		fmt.Fprintf(h, "%s %s\x00", tok, literal)
		if tok == token.IDENT {
			d.words[literal] = true
		}
	}
	h.Sum(d.hash[:0])
	return d
}
