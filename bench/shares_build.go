package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	pprof "github.com/google/pprof/profile"
)

// A builtProgram is a program whose shares are compared.
type builtProgram struct {
	dir    string // directory to run it in, with its input
	plain  string // path of the plain program, which writes a CPU profile if profileVariable is set
	marked string // path of the program as markgen run -all builds it
	deep   string // of that with -deep, if its goroutines wait, else ""
	main   string // import path of package main
	args   []string
}

// buildShared builds a program plain and marked, and writes its input.
func (b *bench) buildShared(ctx context.Context, p sharedProgram) (built builtProgram, err error) {
	module := filepath.Join(b.work, p.name, "module")
	if err := b.fetch(ctx, module, p.module); err != nil {
		return built, err
	}
	built = builtProgram{
		dir:    filepath.Join(b.work, p.name),
		plain:  filepath.Join(b.work, p.name, "plain"),
		marked: filepath.Join(b.work, p.name, "marked"),
	}
	text, err := output(ctx, module, nil, "go", "list", "-f", "{{.ImportPath}}\n{{.Dir}}", p.main)
	if err != nil {
		return built, err
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	built.main = path
	profiling, err := b.profiling(ctx, dir)
	if err != nil {
		return built, err
	}
	if _, err := runProcess(ctx, module, nil, "go", "build", "-overlay", profiling, "-o", built.plain, p.main); err != nil {
		return built, err
	}
	cache := []string{"MARKGENCACHE=" + filepath.Join(b.caches, "shares")}
	if _, err := runProcess(ctx, module, cache, b.markgen, "build", "-all", "-o", built.marked, p.main); err != nil {
		return built, err
	}
	if p.deep {
		built.deep = filepath.Join(b.work, p.name, "deep")
		if _, err := runProcess(ctx, module, cache, b.markgen, "build", "-all", "-deep", "-o", built.deep, p.main); err != nil {
			return built, err
		}
	}
	built.args, err = p.input(ctx, built.dir)
	return built, err
}

// fetch copies a module, given as path@version, to dir; "" stands for the program of this module that
// has known shares.
func (b *bench) fetch(ctx context.Context, dir, module string) error {
	if module == "" {
		own, err := moduleDir(ctx)
		if err != nil {
			return err
		}
		return errors.Join(
			copyTree(dir, filepath.Join(own, "programs", "shares")),
			os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module shares\n\ngo 1.26\n"), 0o666))
	}
	text, err := output(ctx, b.work, nil, "go", "mod", "download", "-json", module)
	if err != nil {
		return err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(text, &downloaded); err != nil {
		return err
	}
	return copyTree(dir, downloaded.Dir)
}

// profileVariable is the environment variable with the path of the CPU profile.
const profileVariable = "MARKGEN_BENCH_PROFILE"

// profilingPackage profiles a program from its initialization to its end, however it ends. With more
// samples than the 100 a second of StartCPUProfile, which prints that it cannot set the rate again, the
// shares of a short run are less a matter of chance.
const profilingPackage = `package profiling

import (
	"internal/runtime/exithook"
	"os"
	"runtime"
	"runtime/pprof"
)

func init() {
	path := os.Getenv("` + profileVariable + `")
	if path == "" {
		return
	}
	f, err := os.Create(path)
	if err == nil {
		runtime.SetCPUProfileRate(250)
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		panic(err)
	}
	exithook.Add(exithook.Hook{F: pprof.StopCPUProfile, RunOnFailure: true})
}
`

// profiling writes an overlay that adds the package to the standard library, and its import to
// package main in dir, and returns the overlay's path.
func (b *bench) profiling(ctx context.Context, dir string) (string, error) {
	root, err := goRoot(ctx)
	if err != nil {
		return "", err
	}
	pkg, imports, file := filepath.Join(b.work, "profiling.go"), filepath.Join(b.work, "imports.go"), filepath.Join(b.work, "overlay.json")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "src", "markgenbench", "profiling", "profiling.go"): pkg,
		filepath.Join(dir, "markgen_bench_imports.go"):                          imports,
	}})
	return file, errors.Join(err,
		os.WriteFile(pkg, []byte(profilingPackage), 0o666),
		os.WriteFile(imports, []byte("package main\n\nimport _ \"markgenbench/profiling\"\n"), 0o666),
		os.WriteFile(file, overlay, 0o666))
}

// readProfile reads a CPU profile.
func readProfile(path string) (*pprof.Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := pprof.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}
