package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/markgen/markgen/fleet/spool"
	"github.com/markgen/markgen/internal/cli"
	"github.com/markgen/markgen/overlay"
	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/report"
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/layout"
)

// runData has the data of the processes started by run, test or exec, and what to do with them.
type runData struct {
	*overlay.Collection
	env    *cli.Env
	out    string // file in which to keep the data, or ""
	report string // "text", "none", or the file for the report
	shown  report.Options

	exited int // process ID of the command if it is known to have exited by itself; otherwise 0
	code   int // its exit code

	unmarked string  // as of ownFlags
	budget   *budget // the same
}

// collectRun prepares for the data of a run. The keys file and report in MARKGEN apply unless there
// are flags.
func collectRun(e *cli.Env, own *ownFlags) (*runData, error) {
	c, err := overlay.Collect(e.Environ)
	if err != nil {
		return nil, err
	}
	if !own.exact {
		c.Demote()
	} else if err := c.Exact(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if own.paths {
		c.Paths()
	}
	shown := own.shown
	shown.NoWaits = own.deep && c.Wait()
	d := &runData{Collection: c, env: e, out: own.out, report: own.report, shown: shown, budget: own.budget}
	if d.out == "" {
		d.out = c.File
	}
	if d.out != "" && e.IsFolder(d.out) {
		return nil, errors.Join(fmt.Errorf("%s is a directory; name a file for the data, such as %s", d.out, filepath.Join(d.out, "%a.markgen")), c.Close())
	}
	if d.out != "" && isOther(e, d.out) {
		return nil, errors.Join(fmt.Errorf("%s is there and is no data file; remove it, or name another file for the data", d.out), c.Close())
	}
	if d.report, err = reportWanted(e, d.report, c); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if d.out != "" && e.Path(d.report) == e.Path(d.out) {
		return nil, errors.Join(fmt.Errorf("%s can't be both the data and the report; name another file for one", d.out), c.Close())
	}
	return d, nil
}

// isOther reports whether there is a file of that name that must not be overwritten with data: one
// that is not a data file and not empty.
func isOther(e *cli.Env, name string) bool {
	info, err := os.Stat(e.Path(name))
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && !runfile.IsData(e.Path(name))
}

// reportWanted returns the report that -report, or else MARKGEN, asks for: "text", "none", or a
// file name.
func reportWanted(e *cli.Env, flag string, c *overlay.Collection) (string, error) {
	switch flag = cmp.Or(flag, c.Report); {
	case flag == "" || flag == "stderr":
		return "text", nil
	case flag == "text" || flag == "none":
	case e.IsFolder(flag):
		return "", fmt.Errorf("%s is a directory; name a file for the report, or give text or none", flag)
	case !e.IsFolder(filepath.Dir(flag)):
		return "", fmt.Errorf("there is no directory %s for the report; make it, or name another file", filepath.Dir(flag))
	}
	return flag, nil
}

// mostNamed is the maximum number of numbered files that are listed individually.
const mostNamed = 8

// noData is the hint if processes should have left data but did not.
const noData = "no program with markers ran and collected; see that something ran (tests, say), that something is marked (markgen list), and that no line above refuses MARKGEN"

// finish reports and keeps the data after the processes have ended, and returns the exit code: that
// of the processes or, if they succeeded, that of finish itself.
func (d *runData) finish(code int) int {
	own := d.use(code == cli.OK)
	if code == cli.OK {
		return own
	}
	return code
}

// use processes the data; well reports whether everything that was started succeeded.
func (d *runData) use(well bool) int {
	files, err := d.Files()
	if err != nil {
		return d.env.Fail(err)
	}
	for _, warning := range d.Warnings() {
		d.env.Warn(warning)
	}
	if len(files) == 0 {
		switch wanted := d.report != "none" || d.out != ""; {
		case !well || !wanted || !d.Complete(): // a warning names processes that left no data
		case d.unmarked != "":
			note(d.env, d.unmarked)
		default:
			d.env.Warn("no data: " + noData)
		}
		return cli.OK
	}
	code := cli.OK
	kept := d.names(files)
	if d.report != "none" {
		code = d.write(files, kept)
	}
	if d.Spool != "" {
		if err := d.leave(files); err != nil {
			code = d.env.Fail(err)
		}
	}
	if d.out != "" {
		if err := d.keep(kept); err != nil {
			return d.env.Fail(err)
		}
	}
	return code
}

// leave adds the data to the spool, as the processes would have done by themselves.
func (d *runData) leave(files []string) error {
	for _, file := range files {
		if err := spool.Put(context.Background(), d.env.Path(d.Spool), int64(d.Room), file); err != nil {
			return err
		}
	}
	return nil
}

// write writes the report over all processes; kept are the files in which their data are kept.
func (d *runData) write(files []string, kept []keptRun) int {
	p, code := readRuns(d.env, files)
	if p == nil {
		return code
	}
	p.Complete = p.Complete && d.Complete()
	names := map[string]string{}
	for _, r := range kept {
		names[filepath.Base(r.file)] = r.name()
	}
	for i, warning := range p.Warnings { // the directory will be removed
		if _, of, ok := strings.Cut(warning, filepath.Base(d.Dir())+string(filepath.Separator)); ok {
			file, what, _ := strings.Cut(of, ":")
			p.Warnings[i] = cmp.Or(names[file], file) + ":" + d.ended(what)
		}
	}
	out := ""
	if len(kept) == 1 {
		out = kept[0].name()
	}
	code = max(code, reportTo(d.env, d.report, out, p, d.shown))
	d.budget.measured(d.env, p)
	return code
}

// ended returns a warning, in which it says how the command ended if that is known.
func (d *runData) ended(warning string) string {
	how := "called os.Exit, as log.Fatal does"
	if d.code == 2 { // as that of a panic
		how = "crashed, or " + how
	}
	return strings.Replace(warning, runfile.NotSeenToEnd(d.exited), fmt.Sprintf("process %d exited with code %d and was not seen to end: it %s, or has no marker in package main; call perf.Finish before it exits", d.exited, d.code, how), 1)
}

// mostRows is the default number of markers in the report on standard error: about a screen.
const mostRows = 30

// reportTo writes the report to where: "text" is standard error; otherwise it is a file, with all
// markers. out is where the data are kept, or "".
func reportTo(e *cli.Env, where, out string, p *profile.Profile, o report.Options) int {
	newPlacer(e, "").place(p)
	o.Source, _ = sourceReader(e, "") // it only fails for a directory given by name
	if where == "text" {
		o.Width, o.Color = e.Terminal(e.Stderr)
		if o.Top == 0 {
			o.Top, o.Rest = mostRows, "-report FILE has all"
			if out != "" {
				o.Rest = "markgen report " + shellWord(out) + " has all"
			}
		}
		if err := report.Write(e.Stderr, p, o); err != nil {
			return e.Fail(err)
		}
		return cli.OK
	}
	var text bytes.Buffer
	err := report.Write(&text, p, o)
	if err == nil {
		err = e.Put(context.Background(), where, text.Bytes())
	}
	if err != nil {
		return e.Fail(err)
	}
	return cli.OK
}

// A keptRun is the data file of a process, and the name under which to keep it.
type keptRun struct {
	file string
	base string // name of the first file, if several would have the same name
	nth  int    // number of this file among those, from 1
}

func (r keptRun) name() string { return numbered(r.base, r.nth) }

// numbered returns the name of the nth file of those with the same base name.
func numbered(base string, nth int) string {
	if nth == 1 {
		return base
	}
	return base + "." + strconv.Itoa(nth)
}

// names assigns names to the data files, in the order in which the processes started; nil if the
// data are not kept.
func (d *runData) names(files []string) []keptRun {
	if d.out == "" {
		return nil
	}
	type run struct {
		file  string
		start int64
		name  string
	}
	var runs []run
	for _, file := range files {
		r := run{file: file, name: d.out}
		if p, err := runfile.Read(file); err == nil {
			r.start = p.Start.UnixNano()
			r.name = config.Expand(d.out, func(b []byte, letter byte) []byte {
				switch letter {
				case 'p':
					return append(b, processOf(file)...)
				case 'a':
					return append(b, p.App...)
				}
				return p.Start.UTC().AppendFormat(b, "20060102-150405")
			})
		}
		runs = append(runs, r)
	}
	slices.SortStableFunc(runs, func(a, b run) int { return int(min(max(a.start-b.start, -1), 1)) })
	times, taken := map[string]int{}, map[string]bool{}
	var kept []keptRun
	for _, r := range runs {
		k := keptRun{r.file, r.name, times[r.name] + 1}
		for taken[k.name()] { // a program's name may be that of another one's second process
			k.nth++
		}
		times[r.name], taken[k.name()] = k.nth, true
		kept = append(kept, k)
	}
	return kept
}

// keep moves the data files to their names. It warns of files with the same names and higher
// numbers from an earlier run with more processes, which would be read as part of this one.
func (d *runData) keep(runs []keptRun) error {
	var kept []string
	var errs []error
	last := map[string]int{}
	for _, r := range runs {
		last[r.base] = max(last[r.base], r.nth)
		if err := d.save(r); err != nil {
			errs = append(errs, d.rescue(r.file, err))
			continue
		}
		kept = append(kept, r.name())
	}
	d.sayKept(kept)
	for _, base := range slices.Sorted(maps.Keys(last)) {
		from := last[base] + 1
		to := from
		for runfile.IsData(d.env.Path(numbered(base, to))) {
			to++
		}
		switch to - from {
		case 0:
		case 1:
			d.env.Warn(fmt.Sprintf("%s is of an earlier run; remove it if it is not wanted", numbered(base, from)))
		default:
			d.env.Warn(fmt.Sprintf("%s to %s are of an earlier run; remove them if they are not wanted", numbered(base, from), numbered(base, to-1)))
		}
	}
	return errors.Join(errs...)
}

// save moves a data file to its name, unless that would overwrite something other than data.
func (d *runData) save(r keptRun) error {
	if isOther(d.env, r.name()) {
		return fmt.Errorf("%s is there and is no data file", r.name())
	}
	return overlay.Save(r.file, d.env.Path(r.name()))
}

// sayKept prints where the data of several processes are.
func (d *runData) sayKept(kept []string) {
	if len(kept) > 1 {
		list := strings.Join(kept, ", ")
		if n := len(kept); n > mostNamed && strings.HasPrefix(kept[1], kept[0]+".") && strings.HasPrefix(kept[n-1], kept[0]+".") { // the other files are numbered
			list = fmt.Sprintf("%s, %s … %s", kept[0], kept[1], kept[n-1])
		}
		fmt.Fprintf(d.env.Stderr, "markgen: %d processes, their data are in %s\n", len(kept), list)
	}
}

// rescue moves data that cannot be written to their destination to the temporary directory, and
// adds their new place to the error.
func (d *runData) rescue(file string, err error) error {
	to, tempErr := os.CreateTemp("", "rescued-*.markgen")
	if tempErr == nil {
		tempErr = errors.Join(to.Close(), overlay.Save(file, to.Name()))
	}
	if tempErr != nil {
		if to != nil {
			_ = os.Remove(to.Name())
		}
		return fmt.Errorf("%w; its data are lost: %w", err, tempErr)
	}
	return fmt.Errorf("%w; its data are in %s", err, to.Name())
}

// processOf returns the process ID in the name of a data file of a Collection, APP.PID.markgen.
func processOf(file string) string {
	name, _, _ := strings.Cut(filepath.Base(file), layout.DataExt)
	return name[strings.LastIndexByte(name, '.')+1:]
}
