package config

import (
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want Config
	}{
		{"collect=time", Config{Collect: "time", File: DefaultFile}},
		{"collect=time,", Config{Collect: "time", File: DefaultFile}},
		{"collect=io+hw+my_own", Config{Collect: "io+hw+my_own", File: DefaultFile}},
		{",,noself", Config{File: DefaultFile, NoSelf: true}},
		{"report=stderr", Config{Report: "stderr"}},
		{"report=none", Config{File: DefaultFile}},
		{"report=none,file=x", Config{File: "x"}},
		{"file=a=b", Config{File: "a=b"}},
		{"only=a.*;b,skip=*.c", Config{File: DefaultFile, Only: "a.*;b", Skip: "*.c"}},
		{"collect=trace", Config{Collect: "trace", File: DefaultFile}},
		{"collect=trace+time,report=r", Config{Collect: "trace+time", Report: "r", File: DefaultFile}},
		{"collect=trace,report=r,file=x,buffer=64K", Config{Collect: "trace", Report: "r", File: "x", Buffer: 64 << 10}},
		{"buffer=1G,buffer=65536", Config{File: DefaultFile, Buffer: 65536}},
		{"clock=tsc", Config{File: DefaultFile, TSC: true}},
		{"clock=mono", Config{File: DefaultFile, Mono: true}},
		{"paths", Config{File: DefaultFile, Paths: 65_536}},
		{"paths=2097152", Config{File: DefaultFile, Paths: MaxPaths}},
		{"paths,sample=1:10", Config{File: DefaultFile, Paths: 65_536, Sample: 10, Countdown: true}},
		{"paths,buckets", Config{File: DefaultFile, Paths: 65536, Buckets: true}},
		{"paths=100,unfolded,sample=1:1", Config{File: DefaultFile, Paths: 100, Unfolded: true, Sample: 1}},
		// If a key is given twice, the last one counts: a command can append to an existing value.
		{"file=a,report=r,file=b,report=none", Config{File: "b"}},
		{"clock=tsc,clock=mono", Config{File: DefaultFile, Mono: true}},
	} {
		got, problem := Parse(tt.raw)
		if !reflect.DeepEqual(got, tt.want) || problem != "" {
			t.Errorf("%q: %s\ngot  %+v\nwant %+v", tt.raw, problem, got, tt.want)
		}
	}
	for raw, key := range map[string]string{
		"x": "x", "file": "file", "file=": "file", "file=a,b": "b", "collect=time+": "collect", "collect=+": "collect", "collect=a b": "collect", "collect=io++hw": "collect",
		"buffer=": "buffer", "buffer=4095": "buffer", "buffer=3K": "buffer", "buffer=1T": "buffer", "buffer=65G": "buffer", "buffer=-1": "buffer",
		"buffer=99999999999999999999": "buffer", "only=": "only", "skip=@file": "skip", "spool=dir:1X": "spool",
		"noself=": "noself", "clock=": "clock", "report": "report", "=": "", "collect =time": "collect ",
	} {
		if _, problem := Parse(raw); !strings.HasPrefix(problem, `MARKGEN: key "`+key+`": `) {
			t.Errorf("%q: %q, want a problem with key %q", raw, problem, key)
		}
	}
}

// Messages for the user: all keys, collectors and formats are in them.
func TestMessages(t *testing.T) {
	const (
		collectors = "time, trace, wild, alloc, wait, io, hw or the name of one of the program's collectors, with + between several"
		keys       = "collect, file, spool, report, only, skip, clock, buffer, noself, callers, paths, unfolded, buckets, adapt, pairs, outermost, start, pause, resume, stop, every, sample, countdown, seed, enough, throttle, demote, budget, pick, known, busy"
	)
	for value, want := range map[string]string{
		"collect":                      `"collect": has no value; give ` + collectors,
		"collect=+time,file=x":         `"collect": cannot be +time; give ` + collectors,
		"file=x,colect=time":           `"colect": not a key; the keys are ` + keys,
		"file=x,clock=sundial":         `"clock": cannot be sundial; give tsc or mono`,
		"collect=trace,buffer=4095":    `"buffer": cannot be 4095; give bytes, from a page to 64G, such as 64K, 4M or 1G`,
		"file=x,noself=1":              `"noself": takes no value; write noself alone`,
		"file=x,report=":               `"report": has no value; give a path, stderr or none`,
		"collect=time,io,file=x":       `"io": not a key; for a collector write collect=time+io; the keys are ` + keys,
		"collect=time,file=x,sampel=2": `"sampel": not a key; the keys are ` + keys,
		"spool=d:1X":                   `"spool": cannot be d:1X; give a directory, or DIR:SIZE with the bytes that it may hold, such as 64M or 2G`,
		"spool=d,file=x":               `"spool": cannot go with file; leave one of the two out`,
		"adapt=io,collect=hw":          `"adapt": cannot be io while collect is hw; give collectors with one of the two`,
		"sample=100":                   `"sample": cannot be 100; give 1:N with N from 1 to 1000000000`,
		"start=records:5":              `"start": cannot be records:5; give on:MARKER, count:MARKER:N, after:DURATION, such as after:5s, or, to pause and stop, records:N`,
		"paths=0":                      `"paths": cannot be 0; give a number of paths from 1 to 2097152, or nothing`,
		"paths=2097153":                `"paths": cannot be 2097153; give a number of paths from 1 to 2097152, or nothing`,
		"buckets":                      `"buckets": is for paths; give that, or leave it out`,
		"paths,buckets,sample=1:7":     `"buckets": cannot be combined with sample or countdown, which know too few scopes of a path`,
		"unfolded":                     `"unfolded": is for paths; give that, or leave it out`,
		"paths,collect=trace":          `"paths": cannot be combined with collect=trace; give collect=time+trace`,
		"pick=3":                       `"pick": is for collect=wild; give that, or leave it out`,
		"known=x,collect=time":         `"known": is for collect=wild; give that, or leave it out`,
		"budget":                       `"budget": has no value; give a part of the processor time above 0% and below 100%, such as 1% or 0.5%`,
		"budget=0%":                    `"budget": cannot be 0%; give a part of the processor time above 0% and below 100%, such as 1% or 0.5%`,
		"budget=1%,paths":              `"budget": cannot go with paths; leave one of the two out`,
		"budget=1%,collect=time+alloc": `"budget": cannot go with collect=time+alloc; leave one of the two out`,
		"budget=1%,collect=wild":       `"budget": cannot go with collect=wild; leave one of the two out`,
		"budget=1%,report=r":           `"budget": needs a data file, which says what was turned off when; give file or spool, too`,
		"busy=1":                       `"busy": is for collect=wild; give that, or leave it out`,
		"collect=wild,pick=0":          `"pick": cannot be 0; give a number of functions from 1 to 50`,
		"collect=wild,pick=51":         `"pick": cannot be 51; give a number of functions from 1 to 50`,
		"collect=wild,busy=much":       `"busy": cannot be much; give a load in percent of all processors`,
	} {
		if _, got := Parse(value); got != "MARKGEN: key "+want+"; nothing is collected" {
			t.Errorf("%s: %s\nwant %s", value, got, want)
		}
	}
	adapt, _ := Parse("adapt=mine")
	collect, _ := Parse("collect=time+mine")
	if got, want := adapt.NoCollector("mine"), `MARKGEN: key "adapt": no collector has the name mine; give collectors besides time and trace, or nothing; nothing is collected`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got, want := collect.NoCollector("mine"), `MARKGEN: key "collect": no collector has the name mine; give `+collectors+`; nothing is collected`; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// Parse accepts the keys in Keys, and the command's key, and no others.
func TestKeys(t *testing.T) {
	for _, key := range append(strings.Split(Keys, ", "), "keeper") {
		if _, problem := Parse(key + "=?"); strings.Contains(problem, "not a key") {
			t.Error(problem)
		}
	}
	if _, problem := Parse("wild"); !strings.Contains(problem, "not a key") {
		t.Errorf("wild is taken for a key: %q", problem)
	}
}

func TestBudget(t *testing.T) {
	for text, want := range map[string]uint64{"1%": 10_000, "0.5%": 5_000, "12.25%": 122_500, "99.9999%": 999_999, "0.0001%": 1} {
		c, problem := Parse("budget=" + text)
		if c.Budget != want || c.Demote != demoteAfter || c.Times != demoteBelow || !c.Demotes() || problem != "" {
			t.Errorf("%s: %+v %s", text, c, problem)
		}
	}
	for _, text := range []string{"0%", "0.0%", "100%", "200%", "1", "%", ".5%", "1.%", "-1%", "1e1%", "0.00001%", "1%%", "one%", "99999999999999999999%"} {
		if _, problem := Parse("budget=" + text); problem == "" {
			t.Errorf("%s is taken", text)
		}
	}
	if c, _ := Parse("budget=1%,demote=5:6"); c.Demote != 5 || c.Times != 6 {
		t.Errorf("%+v", c)
	}
	for _, key := range []string{"sample=1:9", "countdown", "enough=9", "throttle=9:9", "callers", "paths", "adapt", "pairs", "outermost", "noself", "collect=trace", "collect=io"} {
		if c, problem := Parse("budget=1%," + key); problem == "" {
			t.Errorf("%s: %+v", key, c)
		}
		if c, _ := Parse("demote," + key); c.Demotes() && key != "noself" {
			t.Errorf("%s: %+v", key, c)
		}
	}
}

func TestWild(t *testing.T) {
	c, _ := Parse("collect=io+wild+time")
	if !c.Wild || c.Collect != "io+time" || c.Pick != 5 || c.Busy != 75 {
		t.Errorf("%+v", c)
	}
}

func TestCollects(t *testing.T) {
	for value, want := range map[string]string{
		"noself": "time", "collect=io": "io", "collect=trace": "trace", "collect=time+trace": "time trace", "adapt=io": "time io", "collect=wild": "time",
	} {
		c, problem := Parse(value)
		var got []string
		for _, name := range []string{"time", "trace", "io", "wild"} {
			if c.Collects(name) {
				got = append(got, name)
			}
		}
		if got := strings.Join(got, " "); got != want || problem != "" {
			t.Errorf("%s: %s, want %s %s", value, got, want, problem)
		}
		if reads := strings.Contains(want, "io"); c.Reads() != reads || c.ReadsBesides("io") {
			t.Errorf("%s: Reads is %t, ReadsBesides io is %t", value, c.Reads(), c.ReadsBesides("io"))
		}
	}
}

func TestNext(t *testing.T) {
	var got []Item
	for item, rest := Next(",only=a=b;c,,noself,=,file=,"); item.Text != ""; item, rest = Next(rest) {
		got = append(got, item)
	}
	want := []Item{
		{"only", "a=b;c", true, "only=a=b;c"}, {"noself", "", false, "noself"}, {"", "", true, "="}, {"file", "", true, "file="},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if IsSet("") || IsSet(",,") || !IsSet(",x") {
		t.Error("IsSet")
	}
}

// Parsing a value without collectors and triggers allocates nothing.
func TestNoAllocation(t *testing.T) {
	for _, value := range []string{"", "file=x,report=stderr,only=*.f;*.g,skip=*.h,noself,sample=1:100,throttle=10:100,every=1s:10ms"} {
		if n := testing.AllocsPerRun(10, func() { Parse(value) }); n != 0 {
			t.Errorf("%s: %v allocations", value, n)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"collect=time,file=%a.%p,only=a;b,noself", "=,=", "file", ";,%",
		"start=on:a;count:b:3,stop=after:1s", "every=1s:10ms,sample=1:100,seed=3", "throttle=3:4,pause=records:5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, problem := Parse(raw)
		if strings.Contains(problem, "\n") && !strings.Contains(raw, "\n") {
			t.Errorf("%q: more than one line: %q", raw, problem)
		}
		if problem == "" && c.File == "" && c.Report == "" && c.Spool == "" {
			t.Errorf("%q: nowhere to put the data", raw)
		}
		if problem == "" && (c.Period > 0 && (c.Width == 0 || c.Width >= c.Period) || c.Sample > 1e9) {
			t.Errorf("%q: %+v", raw, c)
		}
		for _, trigger := range c.Triggers {
			if problem == "" && trigger.OnMarker() != (trigger.Name != "") {
				t.Errorf("%q: %+v", raw, trigger)
			}
		}
	})
}

func TestTriggers(t *testing.T) {
	for _, good := range []string{
		"start=on:a", "start=on:p.f:for#1", "pause=count:p.f:for#1:17", "resume=after:10ms", "stop=records:1", "stop=on:*.f;after:1s;records:9",
		"every=1s:10ms", "sample=1:1", "sample=1:1000000000", "countdown", "enough=1", "throttle=1:0", "callers", "adapt",
	} {
		if _, problem := Parse(good); problem != "" {
			t.Errorf("%s: %s", good, problem)
		}
	}
	for _, bad := range []string{
		"start", "start=", "start=a", "start=on:", "start=count:a", "start=count:a:0", "start=count:a:x", "start=count::3", "start=records:5",
		"resume=records:5", "stop=records:0", "pause=after:", "pause=after:3", "start=on:a;", "start=on:a;b", "every=1s", "every=1s:2s", "every=1s:0s",
		"every=:", "sample=1:0", "sample=2:3", "sample=1:", "sample=5", "sample=1:1000000001", "countdown=1", "seed=x", "enough=0", "enough=-1",
		"throttle=1", "throttle=0:1", "throttle=:", "callers=x", "adapt=", "adapt=time", "adapt=io+trace", "adapt=io,collect=hw",
	} {
		if _, problem := Parse(bad); problem == "" && bad != "start=on:a;" {
			t.Errorf("%s is taken", bad)
		}
	}
	if none, _ := Parse("sample=1:2"); none.Seed != 0 {
		t.Error("a seed that nobody gave")
	}
	if zero, _ := Parse("seed=0"); zero.Seed == 0 {
		t.Error("seed=0 is none")
	}
	c, _ := Parse("start=on:a,start=on:b,pause=on:b")
	if len(c.Triggers) != 3 || c.Triggers[0].Name != "b" || c.Triggers[2].Key != "resume" || !c.Waits {
		t.Errorf("%+v", c.Triggers)
	}
}
