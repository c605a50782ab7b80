package overlay_test

import (
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"testing"

	"github.com/markgen/markgen/tier"
)

// TestDualText compares the machine code of the plain program of a dual build with that of go
// build, function by function.
func TestDualText(t *testing.T) {
	tier.Corpus(t)
	if runtime.GOARCH != "amd64" {
		t.Skip("code of amd64 is compared here, not of " + runtime.GOARCH)
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc to link with")
	}
	// What package dual is made of, and calls.
	added := regexp.MustCompile(`^(0\.init\.0$|0/dual\.|runtime\.|syscall\.|sync/atomic\.)`)
	const ldflags = "-ldflags=-w -linkmode=external -extldflags=-Wl,--emit-relocs"
	dir, out := trapCopy(t, nil, "demo"), t.TempDir()
	for _, flags := range [][]string{{ldflags}, {ldflags, "-race"}, {ldflags, "-buildmode=pie"}} {
		plain, dual := filepath.Join(out, "plain"), filepath.Join(out, "dual")
		trapMust(t, dir, nil, "go", slices.Concat([]string{"build", "-o", plain}, flags, []string{"."})...)
		trapMust(t, dir, nil, trapMarkgen(t), slices.Concat([]string{"build", "-all", "-dual", "-o", dual}, flags, []string{"."})...)
		want, got := readProgramText(t, plain), readProgramText(t, dual)
		for name, p := range want.functions {
			if d, ok := got.functions[name]; !ok {
				t.Errorf("%v: %s is missing", flags, name)
			} else if differs := want.differs(p, got, d); differs != "" {
				t.Errorf("%v: %s: %s", flags, name, differs)
			}
		}
		for name := range got.functions {
			if _, ok := want.functions[name]; !ok && !added.MatchString(name) {
				t.Errorf("%v: %s is not in the plain program", flags, name)
			}
		}
		t.Logf("%v: %d functions are the same, %d are added", flags, len(want.functions), len(got.functions)-len(want.functions))
	}
}

// A programText is the machine code of a program.
type programText struct {
	addr      uint64
	bytes     []byte                // those that a C linker has filled in are 0
	functions map[string]elf.Symbol // of the same name, numbered by address
	sorted    []string              // their names, by address
}

// readProgramText reads a program that was linked with -Wl,--emit-relocs.
func readProgramText(t *testing.T, path string) *programText {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	section, relocations := f.Section(".text"), f.Section(".rela.text")
	if section == nil || relocations == nil {
		t.Fatalf("%s has no text or no relocations of it", path)
	}
	p := &programText{addr: section.Addr, functions: map[string]elf.Symbol{}}
	if p.bytes, err = section.Data(); err != nil {
		t.Fatal(err)
	}
	list, err := relocations.Data()
	if err != nil {
		t.Fatal(err)
	}
	const entry = 24 // bytes of a relocation with an addend
	for ; len(list) >= entry; list = list[entry:] {
		size := 4
		switch elf.R_X86_64(binary.LittleEndian.Uint32(list[8:])) {
		case elf.R_X86_64_64:
			size = 8
		case elf.R_X86_64_NONE:
			size = 0
		}
		clear(p.bytes[binary.LittleEndian.Uint64(list)-p.addr:][:size])
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	sort.SliceStable(symbols, func(i, j int) bool { return symbols[i].Value < symbols[j].Value })
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Size == 0 || s.Value < p.addr || s.Value+s.Size > p.addr+section.Size {
			continue
		}
		name := s.Name
		for n := 2; p.functions[name].Size > 0; n++ {
			name = fmt.Sprintf("%s#%d", s.Name, n)
		}
		p.functions[name] = s
		p.sorted = append(p.sorted, name)
	}
	return p
}

// differs compares a function of p with one of another program, and returns "" if they are the
// same. Calls of the same function may have different distances: Go's linker has filled them in.
func (p *programText) differs(f elf.Symbol, other *programText, g elf.Symbol) string {
	a, b := p.bytes[f.Value-p.addr:][:f.Size], other.bytes[g.Value-other.addr:][:g.Size]
	if len(a) != len(b) {
		return fmt.Sprintf("%d bytes, %d in the plain program", len(b), len(a))
	}
	for i := 0; i < len(a); i++ {
		if a[i] == b[i] {
			continue
		}
		same := false
		for j := max(i-3, 0); j <= i && !same; j++ {
			to := p.target(f.Value, a, j)
			if same = to != "" && to == other.target(g.Value, b, j); same {
				i = j + 3
			}
		}
		if !same {
			return fmt.Sprintf("at %#x: % x, in the plain program % x", i, b, a)
		}
	}
	return ""
}

// target returns the function, and the place in it, to which the distance at offset i of a function
// leads, or "".
func (p *programText) target(function uint64, text []byte, i int) string {
	if i+4 > len(text) {
		return ""
	}
	to := function + uint64(i+4) + uint64(int64(int32(binary.LittleEndian.Uint32(text[i:]))))
	k := sort.Search(len(p.sorted), func(k int) bool { return p.functions[p.sorted[k]].Value > to }) - 1
	if k < 0 || to >= p.functions[p.sorted[k]].Value+p.functions[p.sorted[k]].Size {
		return ""
	}
	return fmt.Sprintf("%s+%#x", p.sorted[k], to-p.functions[p.sorted[k]].Value)
}
