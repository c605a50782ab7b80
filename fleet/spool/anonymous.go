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
)

// longestName is how long a text of a profile may be, bytes. The service takes none that is longer.
const longestName = 1000

// unknownApp stands for a program whose main package is not known.
const unknownApp = "unknown"

// What there may be in the texts that say where figures come from.
var (
	platform   = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)
	goRelease  = regexp.MustCompile(`\bgo1(\.[0-9]+)*((rc|beta)[0-9]+)?`)
	revision   = regexp.MustCompile(`^[0-9a-f]{7,12}(\+dirty)?$`)
	model      = regexp.MustCompile(`^[ -~]{1,64}$`)
	valueName  = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)
	collectors = []string{"alloc", "hw", "io", "process_alloc", "wait"} // those that come with markgen
	kinds      = []string{"func", "loop", "branch", "block", "region", "point"}
)

// Anonymous is what may leave the machine of a profile: where figures come from (main package and version, Go release,
// platform, model of the processor), how many runs they are of and how long these took, and of the markers with passages their IDs,
// names, kinds and places in the source, with all that adds up.
//
// It shares memory with p. Not in it are the program's file name and process ID; the start but for
// its hour, by which the service tells the newest name of a marker; the clock, whose rate tells
// machines apart; blocks, callers, pairs, changes of state, traces and warnings; stopwatches and
// collectors of the program's own, which have names that are made at run time; and whatever does
// not look as such a text should. A file that is not within the module has its base name below the
// package's import path. left is the number of markers with passages that are left out.
func Anonymous(p *profile.Profile) (a *profile.Profile, left int) {
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
	if len(p.Version) <= longestName && (semver.IsValid(p.Version) || revision.MatchString(p.Version)) {
		a.Version = p.Version
	}
	p = p.Undated(time.Hour)
	a.Newest = p.Newest
	for _, m := range p.Markers {
		switch {
		case m.Count == 0 && m.Picks == nil:
			continue
		case !fromSource(&m):
			left++
			continue
		}
		m.File = placeOf(m.File, m.Package)
		m.Group, m.Off, m.Notes, m.Open, m.Ticks, m.Callers = "", "", nil, 0, 0, nil
		m.Readings = known(m.Readings)
		a.Markers = append(a.Markers, m)
	}
	return a, left
}

// fitting is a text that fits a pattern, or "".
func fitting(pattern *regexp.Regexp, text string) string {
	if pattern.MatchString(text) {
		return text
	}
	return ""
}

// importPath tells whether a text is the import path of a package, and not made of the directory it is in, as outside of modules.
func importPath(text string) bool {
	return len(text) <= longestName && !strings.HasPrefix(text, "_/") && module.CheckImportPath(text) == nil
}

// fromSource tells whether the name of a marker is from the source.
func fromSource(m *profile.Marker) bool {
	return m.ID != 0 && slices.Contains(kinds, m.Kind) && importPath(m.Package) && strings.HasPrefix(m.Name, m.Package+".") && printable(m.Name)
}

// printable tells whether a text can be shown anywhere, and be in a profile file.
func printable(text string) bool {
	return len(text) <= longestName && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co, unicode.Cs)
	})
}

// placeOf is a file's name within its module.
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

// known are the readings of collectors that come with markgen.
func known(list []profile.Reading) (kept []profile.Reading) {
	for _, r := range list {
		if slices.Contains(collectors, r.Collector) && !slices.ContainsFunc(r.Values, func(v profile.Value) bool { return !valueName.MatchString(v.Name) }) {
			kept = append(kept, r)
		}
	}
	return kept
}
