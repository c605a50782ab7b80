package spool

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/registry"
)

// maxName is the max length of a text of a profile, in bytes, which is also the service's
// default limit.
const maxName = 1000

// unknownApp replaces the name of a program whose main package is unknown.
const unknownApp = "unknown"

// Forms of the texts that describe the origin of statistics.
var (
	platform   = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
	goRelease  = regexp.MustCompile(`\bgo1(\.[0-9]+)*((rc|beta)[0-9]+)?`)
	revision   = regexp.MustCompile(`^[0-9a-f]{7,12}(\+dirty)?$`)
	model      = regexp.MustCompile(`^[ -~]{1,64}$`)
	valueName  = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)
	collectors = []string{"alloc", "hw", "io", "process_alloc", "wait"} // those that come with markgen
	kinds      = []string{"func", "loop", "branch", "block", "region", "point"}
)

// Anonymous returns the part of a profile that may leave the machine: its origin (main package and
// version, Go release, platform, processor model), the number of runs and their duration, and for
// each marker with calls its ID, name, kind and position in the source, and all its sums; with paths,
// also the call paths of these markers and their labels, which are made at run time.
//
// The result shares memory with p. It does not contain the program's file name and process ID; the
// start, except its hour, by which the service finds the newest name of a marker; the clock, whose
// rate identifies machines; blocks, callers, pairs, state changes, traces and warnings; stopwatches and
// the program's own collectors, whose names are made at run time; and texts that do not have the
// expected form. A file outside the module is reduced to its base name in the package's import path.
// left is the number of markers with calls that are left out.
func Anonymous(p *profile.Profile, paths bool) (a *profile.Profile, left int) {
	a = &profile.Profile{
		Runs:      p.Runs,
		ElapsedNS: p.ElapsedNS,
		GOOS:      fitting(platform, p.GOOS),
		GOARCH:    fitting(platform, p.GOARCH),
		Go:        goRelease.FindString(p.Go),
		CPU:       fitting(model, p.CPU),
		Complete:  p.Complete,
		NoSelf:    p.NoSelf,
		Untimed:   p.Untimed,
		Lost:      p.Lost,
		Sampling:  p.Sampling,
		Wild:      p.Wild,
	}
	if importPath(p.Main) {
		a.Main = p.Main
	} else {
		a.App = unknownApp
	}
	if len(p.Version) <= maxName && (semver.IsValid(p.Version) || revision.MatchString(p.Version)) {
		a.Version = p.Version
	}
	p = p.Undated(time.Hour)
	a.Newest = p.Newest
	onPaths := map[registry.ID]bool{}
	if paths && p.Paths != nil {
		for i := range p.Paths.Nodes {
			onPaths[p.Paths.Nodes[i].ID] = true
		}
	}
	sent := map[registry.ID]bool{0: true} // which is of paths beyond the limit
	for _, m := range p.Markers {
		switch {
		case m.Count == 0 && m.Picks == nil && !onPaths[m.ID]:
			continue
		case !fromSource(&m):
			left++
			continue
		}
		m.File = placeOf(m.File, m.Package)
		m.Group, m.Off, m.Notes, m.Open, m.Ticks, m.Callers = "", "", nil, 0, 0, nil
		m.Readings = known(m.Readings)
		a.Markers = append(a.Markers, m)
		sent[m.ID] = true
	}
	if paths {
		a.Paths = anonymousPaths(p.Paths, sent)
	}
	return a, left
}

// anonymousPaths returns the paths of the markers that are sent. A label that can't be shown becomes
// "other".
func anonymousPaths(p *profile.Paths, sent map[registry.ID]bool) *profile.Paths {
	if p == nil {
		return nil
	}
	list, labels := profile.KeepPaths(p.Nodes, func(i int) bool { return sent[p.Nodes[i].ID] }), p.Labels
	for i := range list {
		n := &list[i]
		n.Readings, n.Buckets = known(n.Readings), nil
		if !printable(n.Label) {
			n.Label = profile.OtherLabel
			labels = profile.Add64(labels, n.Count)
		}
	}
	return &profile.Paths{Runs: p.Runs, Lost: p.Lost, Labels: labels, Nodes: profile.NewPaths(list).Nodes}
}

// fitting returns text if it matches the pattern, or "".
func fitting(pattern *regexp.Regexp, text string) string {
	if pattern.MatchString(text) {
		return text
	}
	return ""
}

// importPath reports whether text is the import path of a package, and not derived from a
// directory, as it is outside of modules.
func importPath(text string) bool {
	return len(text) <= maxName && !strings.HasPrefix(text, "_/") && module.CheckImportPath(text) == nil
}

// fromSource reports whether the name of a marker comes from the source.
func fromSource(m *profile.Marker) bool {
	return m.ID != 0 && slices.Contains(kinds, m.Kind) && importPath(m.Package) && strings.HasPrefix(m.Name, m.Package+".") && printable(m.Name)
}

// printable reports whether a text can be shown safely, and stored in a profile file.
func printable(text string) bool {
	return len(text) <= maxName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
	})
}

// placeOf returns a file's name within its module.
func placeOf(file, importPath string) string {
	file = path.Clean(strings.ReplaceAll(file, `\`, "/"))
	drive := len(file) > 1 && file[1] == ':'
	if path.IsAbs(file) || drive || file == ".." || strings.HasPrefix(file, "../") {
		file = path.Base(file)
		file = importPath + "/" + file[strings.LastIndexByte(file, ':')+1:]
	}
	if !printable(file) || file == "." {
		return ""
	}
	return file
}

// known returns the readings of collectors that come with markgen.
func known(list []profile.Reading) (kept []profile.Reading) {
	for _, r := range list {
		if slices.Contains(collectors, r.Collector) && !slices.ContainsFunc(r.Values, func(v profile.Value) bool { return !valueName.MatchString(v.Name) }) {
			kept = append(kept, r)
		}
	}
	return kept
}
