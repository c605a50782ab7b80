//go:build !markgen_off

package perf

import (
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/internal/lite"
	"github.com/markgen/markgen/runtime/internal/tabletext"
)

// checkTriggers warns about triggers that are about no marker, when the table of package main (it has a line "e") has been
// registered, which is the last.
//
//go:norace
func checkTriggers(t *table) {
	if len(triggers()) == 0 {
		return
	}
	for line, rest := tabletext.Next(unpack(t.text)); line != ""; line, rest = tabletext.Next(rest) {
		if line == tabletext.LastTable {
			complainOfTriggers()
			return
		}
	}
}

// complainOfTriggers warns, once, about triggers that are about no marker. A stopwatch of that name may still be started.
//
//go:norace
func complainOfTriggers() {
	all := triggers()
	for i := range all {
		t := &all[i]
		lock()
		unknown := t.OnMarker() && len(t.numbers) == 0 && !t.Implied && !t.warned
		t.warned = true
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

// meant is the name of a marker that was probably meant: it ends with the trigger's, from a dot, slash or colon on,
// apart from main., stars and the parentheses of receivers; "" if there is none. The caller holds the lock.
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
		for line, rest := tabletext.Next(unpack(tables[i].text)); line != ""; line, rest = tabletext.Next(rest) {
			if line.Kind() != tabletext.Marker {
				continue
			}
			name := line.Name()
			all := bare(name)
			if n := len(all) - len(want); n > 0 && all[n:] == want && lite.Has("./:", all[n-1]) {
				return name
			}
		}
	}
	return ""
}

// bare is a name without the parentheses and star of a pointer receiver, (*T), and without other stars.
func bare(name string) string {
	var b []byte
	for i := range len(name) {
		if !lite.Has("(*)", name[i]) {
			b = append(b, name[i])
		}
	}
	return string(b)
}

// namesCounter says whether the trigger's name is that of a counter, whose passages no trigger sees.
// The caller holds the lock.
//
//go:norace
func (t *trigger) namesCounter() bool {
	for i := range tables {
		for line, rest := tabletext.Next(unpack(tables[i].text)); line != ""; line, rest = tabletext.Next(rest) {
			if line.Kind() == tabletext.Counter && glob.Name(t.Name, line.Name()) {
				return true
			}
		}
	}
	return false
}
