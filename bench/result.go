package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"
)

// results writes measurements, in the format of Go's benchmarks, to standard output and to one file
// for each side of a comparison.
type results struct {
	dir     string // "" if no files are kept
	config  []benchfmt.Config
	version string // of Go
	out     *benchfmt.Writer
	files   map[string]*resultFile
}

type resultFile struct {
	*os.File
	*benchfmt.Writer
}

func newResults(dir string) *results {
	return &results{dir: dir, out: benchfmt.NewWriter(os.Stdout), files: map[string]*resultFile{}}
}

// machine records the platform, the processor and the version of Go.
func (r *results) machine(ctx context.Context) {
	set := func(key, value string) {
		if value != "" {
			r.config = append(r.config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	set("goos", runtime.GOOS)
	set("goarch", runtime.GOARCH)
	set("cpu", processor())
	set("cores", fmt.Sprint(cores()))
	if version, err := exec.CommandContext(ctx, "go", "env", "GOVERSION").Output(); err == nil {
		r.version = strings.TrimSpace(string(version))
		set("go", r.version)
	}
}

// processor returns the name of the machine's processor, or "" if unknown.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// add writes one line to standard output and to dir/file.
func (r *results) add(file, name string, iterations int, values ...benchfmt.Value) error {
	res := &benchfmt.Result{Config: r.config, Name: benchfmt.Name(name), Iters: iterations, Values: values}
	side := strings.TrimSuffix(filepath.Base(file), ".txt")
	shown := res.Clone()
	shown.SetConfig("side", side)
	for i := range shown.Config {
		shown.Config[i].File = true
	}
	if err := r.out.Write(shown); err != nil || r.dir == "" {
		return err
	}
	f := r.files[file]
	if f == nil {
		path := filepath.Join(r.dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		created, err := os.Create(path)
		if err != nil {
			return err
		}
		f = &resultFile{created, benchfmt.NewWriter(created)}
		r.files[file] = f
	}
	return f.Writer.Write(res)
}

func (r *results) close() error {
	var errs []error
	for _, f := range r.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// writeTable writes the table of results.
func writeTable(w io.Writer, figures []figure) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "figure\tbar\tmedian\tspread\tmet?\t")
	for _, f := range figures {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", f.name, f.bar, f.median(), f.spread(), f.met(), f.remark)
	}
	return t.Flush()
}
