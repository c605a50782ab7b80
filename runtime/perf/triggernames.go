//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/internal/lite"
)

// checkTriggers says which triggers are about no marker when all tables have been
// registered: that of package main, which the line e tells, is the last.
//
//go:norace
func checkTriggers(t *table) {
	if len(triggers()) == 0 {
		return
	}
	for rest := unpack(t.text); rest != ""; {
		var line string
		if line, rest = lite.Cut(rest, '\n'); line == "e" {
			complainOfTriggers()
			return
		}
	}
}

// complainOfTriggers says, once, which triggers are about no marker. A stopwatch may still
// get the name, when it is started first.
//
//go:norace
func complainOfTriggers() {
	all := triggers()
	for i := range all {
		t := &all[i]
		lock()
		unknown := t.OnMarker() && len(t.numbers) == 0 && !t.Implied && !t.told
		t.told = true
		counted, meant := false, ""
		if unknown {
			counted, meant = t.namesCounter(), t.meant()
		}
		unlock()
		switch {
		case counted:
			complain(`MARKGEN: key "` + t.Key + `": passages of ` + t.Name + " are only counted, which no trigger notices; //perf:mark has them timed; it never happens")
		case unknown:
			remedy := "markgen list names markers"
			if meant != "" {
				remedy = "give " + meant
			}
			complain(`MARKGEN: key "` + t.Key + `": no marker has the name ` + t.Name + ", and no stopwatch yet; " + remedy)
		}
	}
}

// meant is the name of a marker that ends with the trigger's, from a dot, slash or colon on, whatever either says of pointers and
// of what comes before, as main does and a star; "" if none does. The caller holds the lock.
//
//go:norace
func (t *trigger) meant() string {
	want := bare(t.Name)
	if len(want) > 5 && want[:5] == "main." {
		want = want[5:]
	}
	for want != "" && lite.Has("./:", want[0]) {
		want = want[1:]
	}
	if want == "" {
		return ""
	}
	for i := range tables {
		for rest := unpack(tables[i].text); rest != ""; {
			var line string
			if line, rest = lite.Cut(rest, '\n'); kindOf(line) != 'm' {
				continue
			}
			name := lite.Field(line, markerName, markerName)
			all := bare(name)
			if n := len(all) - len(want); n > 0 && all[n:] == want && lite.Has("./:", all[n-1]) {
				return name
			}
		}
	}
	return ""
}

// bare is a name without what says that a receiver is a pointer, (*T), and without stars.
func bare(name string) string {
	var b []byte
	for i := range len(name) {
		if !lite.Has("(*)", name[i]) {
			b = append(b, name[i])
		}
	}
	return string(b)
}

// namesCounter says whether the trigger's name is that of a marker which is only counted.
// The caller holds the lock.
//
//go:norace
func (t *trigger) namesCounter() bool {
	for i := range tables {
		for rest := unpack(tables[i].text); rest != ""; {
			var line string
			if line, rest = lite.Cut(rest, '\n'); kindOf(line) == 'c' && glob.Name(t.Name, lite.Field(line, counterName, counterName)) {
				return true
			}
		}
	}
	return false
}
