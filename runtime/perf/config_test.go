//go:build !markgen_off

package perf

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestParseConfig(t *testing.T) {
	for _, tt := range []struct {
		raw  string
		want config
	}{
		{"collect=time", config{collect: "time", file: defaultFile}},
		{"collect=time,", config{collect: "time", file: defaultFile}},
		{"collect=io+hw+my_own", config{collect: "io+hw+my_own", file: defaultFile}},
		{",,noself", config{file: defaultFile, noself: true}},
		{"report=stderr", config{report: "stderr"}},
		{"report=none", config{file: defaultFile}},
		{"report=none,file=x", config{file: "x"}},
		{"file=a=b", config{file: "a=b"}},
		{"only=a.*;b,skip=*.c", config{file: defaultFile, only: "a.*;b", skip: "*.c"}},
		{"collect=trace", config{collect: "trace", file: defaultFile}},
		{"collect=trace+time,report=r", config{collect: "trace+time", report: "r", file: defaultFile}},
		{"collect=trace,report=r,file=x,buffer=64K", config{collect: "trace", report: "r", file: "x", buffer: 64 << 10}},
		{"buffer=1G,buffer=65536", config{file: defaultFile, buffer: 65536}},
		{"clock=tsc", config{file: defaultFile, tsc: true}},
		{"clock=mono", config{file: defaultFile, mono: true}},
		// Of a key given twice the last counts: a command adds to what is there.
		{"file=a,report=r,file=b,report=none", config{file: "b"}},
		{"clock=tsc,clock=mono", config{file: defaultFile, mono: true}},
	} {
		got, trouble := parseConfig(tt.raw)
		tt.want.raw = tt.raw
		if diff := differ(tt.want, got); diff != "" || trouble != "" {
			t.Errorf("%q: %s (-want +got):\n%s", tt.raw, trouble, diff)
		}
	}
	for raw, key := range map[string]string{
		"x": "x", "file": "file", "file=": "file", "file=a,b": "b", "collect=time+": "collect", "collect=+": "collect", "collect=a b": "collect", "collect=io++hw": "collect",
		"buffer=": "buffer", "buffer=4095": "buffer", "buffer=3K": "buffer", "buffer=1T": "buffer", "buffer=65G": "buffer", "buffer=-1": "buffer",
		"buffer=99999999999999999999": "buffer", "only=": "only", "skip=@file": "skip", "spool=dir:1X": "spool",
		"noself=": "noself", "clock=": "clock", "report": "report", "=": "", "collect =time": "collect ",
	} {
		if _, trouble := parseConfig(raw); !strings.HasPrefix(trouble, `MARKGEN: key "`+key+`": `) {
			t.Errorf("%q: %q, want trouble with key %q", raw, trouble, key)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, s := range []string{"collect=time,file=%a.%p,only=a;b,noself", "=,=", "file", ";,%",
		"start=on:a;count:b:3,stop=after:1s", "every=1s:10ms,sample=1:100,seed=3", "throttle=3:4,pause=records:5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, trouble := parseConfig(raw)
		if strings.Contains(trouble, "\n") && !strings.Contains(raw, "\n") {
			t.Errorf("%q: more than one line: %q", raw, trouble)
		}
		if trouble == "" && c.file == "" && c.report == "" && c.spool == "" {
			t.Errorf("%q: nowhere to put the data", raw)
		}
		if trouble == "" && (c.period > 0 && (c.width == 0 || c.width >= c.period) || c.sample > 1e9) {
			t.Errorf("%q: %+v", raw, c)
		}
		for _, trigger := range c.triggers {
			if trouble == "" && trigger.onMarker() != (trigger.name != "") {
				t.Errorf("%q: %+v", raw, trigger)
			}
		}
		c.wants("0123456789abcdef", raw)
		expand(c.file, "app", 1, 2)
	})
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		glob, name string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"a", "a", true}, {"a", "ab", false},
		{"*.Parse", "example.com/x.Parse", true}, {"example.com/*", "example.com/x/y.(*T).M:for#1", true},
		{"x.(*T).M", "x.(*T).M", true}, {"x.(*T).M", "x.T.M", false}, {"*:for#?", "x.F:for#1", true},
		{"*:for#?", "x.F:for#12", false}, {"*a*b*c", "xxaxxbxxbxc", true}, {"*a*b*c", "xxaxxbxxbx", false},
		{"x.[ab]", "x.a", false}, {"x.[ab]", "x.[ab]", true},
	} {
		if got := match(tt.glob, tt.name); got != tt.want {
			t.Errorf("match(%q, %q) = %v", tt.glob, tt.name, got)
		}
	}
}

func TestMatchName(t *testing.T) {
	for _, tt := range []struct {
		glob, name string
		want       bool
	}{
		{"example.com/x.Parse", "example.com/x.Parse", true}, {"x.Parse", "example.com/x.Parse", true}, {"x.*", "example.com/x.Parse", true},
		{"Parse", "example.com/x.Parse", false}, {"com/x.Parse", "example.com/x.Parse", false}, {"main.f", "main.f", true}, {"none", "main.f", false},
	} {
		if got := matchName(tt.glob, tt.name); got != tt.want {
			t.Errorf("matchName(%q, %q) = %v", tt.glob, tt.name, got)
		}
	}
}

// match says what the regular expression says that the glob stands for.
func FuzzMatch(f *testing.F) {
	f.Add("*a*b?", "xaybz")
	f.Add("a**", "a")
	f.Add("?*", "")
	f.Add("*b*a*c", "abac")
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 50 || len(name) > 200 {
			return
		}
		// Bytes, not characters: spelt so that every byte is one character.
		latin := func(s string) string {
			r := make([]rune, len(s))
			for i := range len(s) {
				r[i] = rune(s[i])
			}
			return string(r)
		}
		re := regexp.QuoteMeta(latin(glob))
		re = strings.ReplaceAll(strings.ReplaceAll(re, `\*`, `.*`), `\?`, `.`)
		want := regexp.MustCompile(`(?s)\A` + re + `\z`).MatchString(latin(name))
		if got := match(glob, name); got != want {
			t.Errorf("match(%q, %q) = %v", glob, name, got)
		}
	})
}

func TestExpand(t *testing.T) {
	at := uint64(time.Date(2026, 11, 21, 8, 5, 9, 0, time.UTC).UnixNano())
	for in, want := range map[string]string{
		"": "", "x": "x", "%a.%p.markgen": "app.42.markgen", "%t%%": "20261121-080509%", "%": "%", "%x%": "%x%", "%%p": "%p",
		"a%": "a%", "%a%a": "appapp",
	} {
		if got := expand(in, "app", 42, at); got != want {
			t.Errorf("expand(%q) = %q, want %q", in, got, want)
		}
	}
}
