package config

import (
	"testing"
	"time"
)

func TestUint(t *testing.T) {
	for s, want := range map[string]uint64{"0": 0, "7": 7, "0012": 12, "123456789012345678": 123456789012345678} {
		if v, ok := Uint(s); !ok || v != want {
			t.Errorf("%q: %d %v", s, v, ok)
		}
	}
	for _, s := range []string{"", "-1", "+1", "1 ", "x", "1234567890123456789", "٣"} {
		if v, ok := Uint(s); ok {
			t.Errorf("%q is %d", s, v)
		}
	}
}

func TestDuration(t *testing.T) {
	for _, s := range []string{"1s", "1.5s", "100ms", "1h30m", "2µs", "3us", "7ns", "0.25ms", ".5s", "1m0.5s", "1.s"} {
		want, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		if ns, ok := duration(s); !ok || ns != uint64(want) {
			t.Errorf("%s: %d, %t; want %d", s, ns, ok, want)
		}
	}
	for _, s := range []string{"", "1", "s", "-1s", "1x", "1..5s", ".s", "1s2", "1e3s", "900000000000000000h", "99999999999999999999s", "1.5.5s"} {
		if ns, ok := duration(s); ok {
			t.Errorf("%s: %d", s, ns)
		}
	}
}

func TestParseSpool(t *testing.T) {
	for value, want := range map[string]struct {
		dir  string
		room uint64
	}{
		"a":        {"a", DefaultRoom},
		"a:64M":    {"a", 64 << 20},
		"a:b:5":    {"a:b", 5},
		"a:b/":     {"a:b/", DefaultRoom},
		"a:b":      {},
		"a:64X":    {},
		`C:\spool`: {`C:\spool`, DefaultRoom},
		"a:":       {},
		"":         {"", DefaultRoom},
	} {
		if dir, room := parseSpool(value); dir != want.dir || room != want.room {
			t.Errorf("%q: %q, %d", value, dir, room)
		}
	}
}

func TestExpand(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "x": "x", "%a.%p.markgen": "<a>.<p>.markgen", "%t%%": "<t>%", "%": "%", "%x%": "%x%", "%%p": "%p", "a%": "a%", "%a%a": "<a><a>",
	} {
		got := Expand(path, func(b []byte, letter byte) []byte { return append(b, '<', letter, '>') })
		if got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for s, want := range map[string]uint64{"0": 0, "5": 5, "3K": 3 << 10, "64M": 64 << 20, "100G": 100 << 30} {
		if n, ok := Size(s); !ok || n != want {
			t.Errorf("%s: %d, %t", s, n, ok)
		}
	}
	for _, s := range []string{"", "K", "1KK", "1T", "-1", "1k", "999999999999999999G"} {
		if n, ok := Size(s); ok {
			t.Errorf("%s: %d", s, n)
		}
	}
}

func TestRate(t *testing.T) {
	for s, want := range map[string]uint64{"1:1": 1, "1:100": 100, "1:1000000000": MaxRate} {
		if n, ok := Rate(s); !ok || n != want {
			t.Errorf("%s: %d, %t", s, n, ok)
		}
	}
	for _, s := range []string{"", "1", "1:", "2:3", ":5", "1:0", "1:1000000001", "1:+5", "1:5:6"} {
		if n, ok := Rate(s); ok {
			t.Errorf("%s: %d", s, n)
		}
	}
}
