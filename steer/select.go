package steer

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/markgen/markgen/profile/runfile"
	"github.com/markgen/markgen/runtime/config"
	"github.com/markgen/markgen/runtime/glob"
	"github.com/markgen/markgen/runtime/layout"
)

// Set changes settings, all of them or, if one is invalid, none. Settings have these forms:
//
//	only=GLOB;GLOB   markers that a glob matches are on, all others off
//	skip=GLOB;GLOB   markers that a glob matches are off; without only, all others on
//	on=GLOB;GLOB     markers that a glob matches are on, others as they were
//	off=GLOB;GLOB    the same, off
//	NAME=on|off      the marker with that name is on or off
//	sample=1:N       one call in N is collected
//
// A glob matches full names, or the part after their last slash; * is any text, ? one byte. only
// and skip given together are combined, as in MARKGEN; later settings modify their result. Errors
// are *SettingError and *NoMatchError.
func (p *Process) Set(settings ...string) error {
	return p.use(true, func() error {
		if err := p.set(settings); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		return nil
	})
}

// Sample sets the sampling rate to 1:n.
func (p *Process) Sample(n uint64) error { return p.Set("sample=1:" + strconv.FormatUint(n, 10)) }

// Turn turns the marker with the name on or off.
func (p *Process) Turn(name string, on bool) error {
	return p.use(true, func() error {
		r := rule{globs: []string{name}, on: on, exact: true}
		if err := p.match(r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		p.choose([]rule{r})
		return p.settle()
	})
}

// A rule turns the markers on or off that match one of its globs.
type rule struct {
	globs []string
	on    bool
	exact bool // globs are names
	rest  bool // turn all other markers the opposite way
}

func (r rule) matches(name string) bool {
	for _, g := range r.globs {
		if g == name || !r.exact && glob.Name(g, name) {
			return true
		}
	}
	return false
}

func (p *Process) set(settings []string) error {
	var only, skip, others []rule
	sample := uint64(0)
	for _, setting := range settings {
		key, value, ok := cutLast(setting)
		switch {
		case ok && key != "" && value == "":
			return &SettingError{setting, "has no value"}
		case !ok || key == "":
			return &SettingError{setting, "not of the form KEY=VALUE; " + settingKeys}
		case key == "sample":
			n, ok := config.Rate(value)
			if !ok {
				return &SettingError{setting, fmt.Sprintf("not 1:N with N from 1 to %d, such as 1:100; 1:1 collects every scope", config.MaxRate)}
			}
			if err := p.samples(); err != nil {
				return fmt.Errorf("set %s: %w", setting, err)
			}
			sample = n
			continue
		}
		r := rule{globs: split(value)}
		if len(r.globs) == 0 {
			return &SettingError{setting, "has no glob; give some with ; between them"}
		}
		switch key {
		case "only":
			r.on, r.rest = true, true
			only = []rule{r}
		case "skip":
			skip = []rule{r}
		case "on", "off":
			r.on = key == "on"
			others = append(others, r)
		default:
			if value != "on" && value != "off" {
				return &SettingError{setting, "not a setting; " + settingKeys}
			}
			r = rule{globs: []string{key}, on: value == "on", exact: true}
			others = append(others, r)
		}
		if p.state() == Stopped {
			return fmt.Errorf("set %s: %w", setting, errStopped)
		}
		if err := p.match(r); err != nil {
			return err
		}
	}
	if len(skip) > 0 && len(only) == 0 {
		skip[0].rest = true
	}
	if rules := append(append(only, skip...), others...); len(rules) > 0 {
		p.choose(rules)
		if err := p.settle(); err != nil {
			return err
		}
	}
	if sample > 0 {
		p.sample(sample)
	}
	return nil
}

// settingKeys lists the settings in messages.
const settingKeys = "the keys are only, skip, on, off and sample, and names of markers with the values on and off"

// cutLast cuts a setting at the last =, since names of markers may contain one. Settings whose key
// takes globs are cut at the first =, since globs may contain one as well.
func cutLast(setting string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(setting, "=")
	switch key {
	case "only", "skip", "on", "off", "sample":
		return key, value, ok
	}
	i := strings.LastIndexByte(setting, '=')
	if i < 0 {
		return "", "", false
	}
	return setting[:i], setting[i+1:], true
}

func split(globs string) (list []string) {
	for _, g := range strings.Split(globs, ";") {
		if g != "" {
			list = append(list, g)
		}
	}
	return list
}

// match returns an error for the first glob of the rule that matches no marker.
func (p *Process) match(r rule) error {
	for _, g := range r.globs {
		one := rule{globs: []string{g}, exact: r.exact}
		matched, beyond, counter, markers := false, false, false, 0
		var near []string
		for _, u := range p.units.List {
			for i := range u.Markers {
				markers++
				if one.matches(u.Markers[i].Name) {
					matched = matched || p.words[u] != nil
					beyond = beyond || p.words[u] == nil
				} else if r.exact && strings.HasSuffix(u.Markers[i].Name, g) {
					near = append(near, u.Markers[i].Name)
				}
			}
			for _, name := range u.Counters {
				counter = counter || one.matches(name)
			}
		}
		if !matched {
			return &NoMatchError{Glob: g, Markers: markers, Beyond: beyond, Counter: counter, Exact: r.exact, Near: near}
		}
	}
	return nil
}

// choose applies rules in order to the current selection.
func (p *Process) choose(rules []rule) {
	p.h.word(layout.OffFlags).Or(layout.FlagChosen) // first: calls from now on may not be first calls
	for u, words := range p.words {
		wanted := make([]bool, len(u.Markers))
		for i, m := range u.Markers {
			wanted[i] = words.half(i*layout.MarkerSize+layout.MarkerIndex).Load()&layout.IndexOffChoice == 0
			for _, r := range rules {
				if r.matches(m.Name) {
					wanted[i] = r.on
				} else if r.rest {
					wanted[i] = !r.on
				}
			}
		}
		chosen(u, words, wanted)
	}
}

// chosen writes the selection to a unit's words. A gate is closed if nothing behind it is selected.
// Markers are turned on behind the gate before it opens, and turned off after it has closed, so
// that a concurrent call is collected as before or as after the change.
func chosen(u *runfile.Unit, words *mapping, wanted []bool) {
	open := make([]bool, len(wanted))
	for i, w := range wanted {
		open[i] = open[i] || w
		if w {
			open[u.Markers[i].Gate] = true
		}
	}
	for i := range wanted {
		kept := words.half(i*layout.MarkerSize+layout.MarkerIndex).Load()&layout.IndexKept != 0
		if open[i] = open[i] || kept; !open[i] {
			words.half(i*layout.MarkerSize + layout.MarkerOff).Or(layout.OffByChoice)
		}
		setIndexOff(words.half(i*layout.MarkerSize+layout.MarkerIndex), !wanted[i])
	}
	for i := range wanted {
		if open[i] {
			clearOff(words.half(i*layout.MarkerSize+layout.MarkerOff), layout.OffByChoice)
		}
	}
}

// clearOff clears a reason in a marker's Off word. If none is left, it also clears the bit for
// settled.
func clearOff(word *atomic.Uint32, reason uint32) {
	for {
		old := word.Load()
		now := old &^ reason
		if now == layout.OffSettled {
			now = 0
		}
		if now == old || word.CompareAndSwap(old, now) {
			return
		}
	}
}

// setIndexOff sets or clears the bits of a marker's index word that say that it was excluded. The
// number and other bits do not change.
func setIndexOff(word *atomic.Uint32, left bool) {
	for {
		old := word.Load()
		now := old &^ (layout.IndexOffChoice | layout.IndexOff)
		if left {
			now |= layout.IndexOffChoice
		}
		if now&^layout.IndexMask != 0 {
			now |= layout.IndexOff
		}
		if now == old || word.CompareAndSwap(old, now) {
			return
		}
	}
}
