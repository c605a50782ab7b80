//go:build !markgen_off

package runtime

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
		if line, rest = cut(rest, '\n'); line == "e" {
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
		unknown := t.onMarker() && len(t.numbers) == 0 && !t.implied && !t.told
		t.told = true
		counted, meant := false, ""
		if unknown {
			counted, meant = t.namesCounter(), t.meant()
		}
		unlock()
		switch {
		case counted:
			complain(`MARKGEN: key "` + t.key + `": passages of ` + t.name + " are only counted, which no trigger notices; //perf:mark has them timed; it never happens")
		case unknown:
			remedy := "markgen list names markers"
			if meant != "" {
				remedy = "give " + meant
			}
			complain(`MARKGEN: key "` + t.key + `": no marker has the name ` + t.name + ", and no stopwatch yet; " + remedy)
		}
	}
}

// meant is the name of a marker that ends with the trigger's, from a dot, slash or colon on; "" if none does.
// The caller holds the lock.
//
//go:norace
func (t *trigger) meant() string {
	for i := range tables {
		for rest := unpack(tables[i].text); rest != ""; {
			var line string
			if line, rest = cut(rest, '\n'); kindOf(line) != 'm' {
				continue
			}
			name := field(line, markerName, markerName)
			if n := len(name) - len(t.name); n > 0 && name[n:] == t.name && has("./:", name[n-1]) {
				return name
			}
		}
	}
	return ""
}

// namesCounter says whether the trigger's name is that of a marker which is only counted.
// The caller holds the lock.
//
//go:norace
func (t *trigger) namesCounter() bool {
	for i := range tables {
		for rest := unpack(tables[i].text); rest != ""; {
			var line string
			if line, rest = cut(rest, '\n'); kindOf(line) == 'c' && t.names(field(line, counterName, counterName)) {
				return true
			}
		}
	}
	return false
}
