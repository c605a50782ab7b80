package overlay

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/markgen/markgen/fileread"
)

// Go recompiles a package when a package it imports has changed in any way, then the importers of
// that package, and so on. But of its imports the compiler reads only the first part of the
// archive, the export data (cmd/compile/internal/noder/import.go, readImportFile). So markgen keeps
// the archives of marked packages and of the main module's packages: the last one for each package
// and each way to compile it. If nothing that the compiler reads has changed, it need not run: its
// output would be the same, except for the build ID that go passes to it. Since go identifies
// archives by their content without that ID, the importing packages are then up to date for go as
// well.

// compileAgain runs a compiler, unless its output is in the directory of archives.
func compileAgain(archives, tool string, args []string) (code int, err error) {
	c, err := newCompilation(tool, args)
	if err != nil {
		return become(tool, args) // the compiler reports the error best
	}
	name := filepath.Join(archives, c.slot[:2], c.slot)
	if text, err := fileread.File(name); err == nil {
		if archive, ok := c.kept(text); ok && os.WriteFile(c.out, archive, 0o666) == nil {
			inUse(name)
			return 0, nil
		}
	}
	cmd := exec.Command(tool, args...)
	said, warned := &listener{to: os.Stdout}, &listener{to: os.Stderr}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, said, warned
	if code, err = runChild(cmd); code != 0 || err != nil || said.anything || warned.anything {
		return code, err
	}
	if archive, err := fileread.File(c.out); err == nil && bytes.Contains(archive, []byte(c.buildID)) {
		if writeFile(name, c.keep(archive), 0o666) == nil { // otherwise the next build compiles again
			used(name, time.Now())
		}
	}
	return 0, nil
}

// A listener passes on output and notes whether there was any: output of a compiler could not be
// repeated when its archive is reused.
type listener struct {
	to       *os.File
	anything bool
}

func (l *listener) Write(text []byte) (int, error) {
	l.anything = true
	return l.to.Write(text)
}

// A compilation is one invocation of the compiler.
type compilation struct {
	slot    string // identifies the package and the way it is compiled
	key     string // identifies slot and all inputs of the compiler
	buildID string
	out     string // path of the archive
}

// compilerFlags are the flags with which the compiler makes only an archive, from inputs that
// newCompilation knows; true if the value may be a separate argument. Invocations with other flags
// are left to the compiler.
var compilerFlags = map[string]bool{
	"-o": true, "-p": true, "-buildid": true, "-importcfg": true, "-embedcfg": true, "-coveragecfg": true,
	"-pgoprofile": true, "-trimpath": true, "-lang": true, "-goversion": true, "-c": true, "-d": true,
	"-installsuffix": true, "-spectre": true,
	"-complete": false, "-nolocalimports": false, "-pack": false, "-std": false, "-+": false, "-shared": false,
	"-dynlink": false, "-race": false, "-msan": false, "-asan": false, "-N": false, "-l": false, "-B": false,
	"-dwarf": false, "-dwarflocationlists": false, "-dwarfbasentries": false, "-smallframes": false, "-wb": false,
}

var errOtherCompilation = errors.New("the compiler does more than to make an archive")

// newCompilation determines the output and the inputs of an invocation of the compiler. It reads
// all inputs.
func newCompilation(tool string, args []string) (*compilation, error) {
	c := &compilation{}
	info, err := os.Stat(tool)
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	slot := newHasher()
	slot.words(formatVersion, tool, signature(info), dir, os.Getenv("TOOLEXEC_IMPORTPATH"))
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "GO") {
			slot.words(kv)
		}
	}
	var read [][2]string // names of inputs, with the flag that names them
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			read = append(read, [2]string{"", args[i]})
			continue
		}
		flag, value, joined := strings.Cut(args[i], "=")
		own, ok := compilerFlags[flag]
		switch {
		case !ok:
			return nil, errOtherCompilation
		case own && !joined:
			if i++; i == len(args) {
				return nil, errOtherCompilation
			}
			value = args[i]
		}
		switch flag {
		case "-o":
			c.out = value
		case "-buildid":
			c.buildID = value
		case "-trimpath", "-importcfg", "-embedcfg", "-coveragecfg", "-pgoprofile":
			read = append(read, [2]string{flag, value})
		default:
			slot.words(flag, strconv.FormatBool(joined || own), value)
		}
	}
	if !filepath.IsAbs(c.out) || c.buildID == "" {
		return nil, errOtherCompilation
	}
	c.slot = slot.String()
	key := newHasher()
	key.words(c.slot)
	inputs := inputs{hash: key, work: filepath.Dir(c.out)}
	for _, r := range read {
		if err := inputs.add(r[0], r[1]); err != nil {
			return nil, err
		}
	}
	c.key = key.String()
	return c, nil
}

// inputs hashes what a compiler reads. work is the directory that go created for this invocation;
// its name is different each time.
type inputs struct {
	hash hasher
	work string
}

func (in *inputs) words(words ...string) {
	for _, w := range words {
		in.hash.words(strings.ReplaceAll(w, in.work, "$WORK"))
	}
}

// file adds a file.
func (in *inputs) file(name string) error {
	text, err := fileread.File(name)
	if err == nil {
		in.words(name)
		in.hash.bytes(text)
	}
	return err
}

// add adds the value of a flag and the content of the files it names; flag is "" for source files.
func (in *inputs) add(flag, value string) error {
	in.words(flag)
	switch flag {
	case "-trimpath":
		in.words(value)
		return nil
	case "-importcfg":
		return in.imports(value)
	case "-embedcfg":
		return in.embeds(value)
	}
	return in.file(value)
}

// imports adds the export data of the packages named by an importcfg.
func (in *inputs) imports(name string) error {
	text, err := fileread.File(name)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		pkg, archive, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !strings.HasPrefix(pkg, "packagefile ") {
			in.words(line)
			continue
		}
		exports, err := readExports(archive)
		if err != nil {
			return err
		}
		in.words(pkg)
		in.hash.bytes(exports)
	}
	return nil
}

// embeds adds the files named by an embedcfg.
func (in *inputs) embeds(name string) error {
	if err := in.file(name); err != nil {
		return err
	}
	e, err := readEmbedded(name)
	if err != nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Values(e.Files)) {
		if err := in.file(file); err != nil {
			return err
		}
	}
	return nil
}

// An archive is a list of members. Each has a header of fixed size that ends with the member's
// size. The first member is the export data.
const (
	archiveStart  = "!<arch>\n"
	exportsMember = "__.PKGDEF "
	memberHeader  = 60
	memberSize    = 48 // offset of the size, 10 digits, in the header
)

var errNoArchive = errors.New("not an archive of a package")

// readExports reads the export data of a package's archive, without the build ID line.
func readExports(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, len(archiveStart)+memberHeader)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%s: %w", name, errNoArchive)
	}
	size, err := exportsSize(head)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if info, err := f.Stat(); err != nil || info.Size()-int64(len(head)) < size {
		return nil, fmt.Errorf("%s: %w", name, errNoArchive)
	}
	exports := make([]byte, size)
	if _, err := f.ReadAt(exports, int64(len(head))); err != nil {
		return nil, fmt.Errorf("%s: %w", name, errNoArchive)
	}
	if exports, err = withoutBuildID(exports); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return exports, nil
}

// exportsSize returns the size in bytes of the export data, which begins after the archive's start
// and the first member's header.
func exportsSize(head []byte) (int64, error) {
	rest, ok := bytes.CutPrefix(head, []byte(archiveStart+exportsMember))
	if !ok || len(head) < len(archiveStart)+memberHeader {
		return 0, errNoArchive
	}
	digits := strings.TrimRight(string(rest[memberSize-len(exportsMember):][:10]), " ")
	size, err := strconv.ParseUint(digits, 10, 40)
	if err != nil {
		return 0, errNoArchive
	}
	return int64(size), nil
}

// withoutBuildID returns export data without its second line, the build ID.
func withoutBuildID(exports []byte) ([]byte, error) {
	first := bytes.IndexByte(exports, '\n') + 1
	if !bytes.HasPrefix(exports, []byte("go object ")) || !bytes.HasPrefix(exports[first:], []byte(`build id "`)) {
		return nil, errNoArchive
	}
	second := first + bytes.IndexByte(exports[first:], '\n') + 1
	return slices.Concat(exports[:first], exports[second:]), nil
}

// A keptArchive is the first line of a file in the directory of archives; the archive follows.
type keptArchive struct {
	Key     string
	BuildID string
	Sum     string // SHA-256 of the archive
}

// keep returns the content of the file that keeps the compilation's archive.
func (c *compilation) keep(archive []byte) []byte {
	head, err := json.Marshal(keptArchive{c.key, c.buildID, archiveSum(archive)})
	if err != nil {
		panic(err) // cannot fail for strings
	}
	return slices.Concat(head, []byte("\n"), archive)
}

// kept returns the archive in text, the content of a file, if keep wrote it for the same inputs.
func (c *compilation) kept(text []byte) (archive []byte, ok bool) {
	head, archive, _ := bytes.Cut(text, []byte("\n"))
	var k keptArchive
	if json.Unmarshal(head, &k) != nil || k.Key != c.key || len(k.BuildID) != len(c.buildID) || k.BuildID == "" || k.Sum != archiveSum(archive) {
		return nil, false
	}
	return bytes.ReplaceAll(archive, []byte(k.BuildID), []byte(c.buildID)), true
}

func archiveSum(archive []byte) string { return fmt.Sprintf("%x", sha256.Sum256(archive)) }
