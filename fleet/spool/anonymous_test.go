package spool

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
)

// fill sets every text in a value, however deep, to one that names its position, and gives every
// list and pointer an element.
func fill(v reflect.Value, path string, texts *[]string) {
	if strings.Count(path, "Callers") > 1 { // callers contain markers
		return
	}
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			text := fmt.Sprintf("tell%dtale", len(*texts))
			*texts = append(*texts, path)
			v.SetString(text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), path+"."+v.Type().Field(i).Name, texts)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, texts)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), path+"[]", texts)
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), path+"[]", texts)
		}
	case reflect.Uint64, reflect.Int, reflect.Uint8:
		if v.Kind() == reflect.Int {
			v.SetInt(1)
		} else {
			v.SetUint(1)
		}
	}
}

// Only the permitted texts of a profile leave the machine.
func TestAnonymousLeavesNothing(t *testing.T) {
	var p profile.Profile
	var paths []string
	fill(reflect.ValueOf(&p).Elem(), "", &paths)
	if len(paths) < 25 {
		t.Fatalf("only %d texts: %v", len(paths), paths)
	}
	m := &p.Markers[0]
	m.Kind, m.Name = "func", m.Package+"."+m.Name
	may := map[string]bool{
		".GOOS": true, ".GOARCH": true, ".CPU": true, ".Main": true,
		".Markers[].Name": true, ".Markers[].Package": true, ".Markers[].File": true,
	}
	p.Paths.Nodes[0].Parent = -1
	for i, collector := range []string{m.Readings[0].Collector, "io", "io"} {
		withPaths := i == 2
		m.Readings[0].Collector, p.Paths.Nodes[0].Readings[0].Collector = collector, collector
		p.Paths.Nodes[0].Readings[0].Values[0].Name = m.Readings[0].Values[0].Name
		may[".Paths.Nodes[].Label"] = withPaths
		if may[".Markers[].Readings[].Values[].Name"] = collector == "io"; collector == "io" {
			m.Readings[0].Values[0].Name = "tell" + strings.TrimPrefix(m.Readings[0].Values[0].Name, "tell")
		}
		a, left := Anonymous(&p, withPaths)
		if left != 0 || len(a.Markers) != 1 {
			t.Fatalf("%d markers, %d are left out", len(a.Markers), left)
		}
		bodies, err := split(a, DefaultBatch)
		if err != nil || len(bodies) != 1+i/2 {
			t.Fatal(len(bodies), err)
		}
		var list bytes.Buffer
		for _, body := range bodies {
			if err := codec.List(&list, body); err != nil {
				t.Fatal(list.String(), err)
			}
		}
		for i, path := range paths {
			text := fmt.Sprintf("tell%dtale", i)
			if there := strings.Contains(list.String(), text); there != may[path] {
				t.Errorf("%s: it is sent: %v", path, there)
			}
		}
	}
}

// Permitted texts that do not have the expected form do not leave the machine.
func TestAnonymousForms(t *testing.T) {
	marker := func(change func(m *profile.Marker)) profile.Marker {
		m := profile.Marker{ID: 1, Name: "example.com/shop.f", Package: "example.com/shop", Kind: "func", File: "main.go", Count: 1}
		change(&m)
		return m
	}
	for file, want := range map[string]string{
		"main.go":                   "main.go",
		"cart/./price.go":           "cart/price.go",
		"/home/alice/src/shop/x.go": "example.com/shop/x.go",
		"../../alice/x.go":          "example.com/shop/x.go",
		"cart/../../alice/x.go":     "example.com/shop/x.go",
		`C:\Users\alice\x.go`:       "example.com/shop/x.go",
		`C:x.go`:                    "example.com/shop/x.go",
		`..\alice\x.go`:             "example.com/shop/x.go",
		`\\server\alice\x.go`:       "example.com/shop/x.go",
		"strconv/atoi.go":           "strconv/atoi.go",
		"":                          "",
		"a\x1b[31m.go":              "",
		strings.Repeat("x", 2000):   "",
	} {
		a, _ := Anonymous(&profile.Profile{Markers: []profile.Marker{marker(func(m *profile.Marker) { m.File = file })}}, false)
		if got := a.Markers[0].File; got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
	for name, change := range map[string]func(m *profile.Marker){
		"stopwatch":       func(m *profile.Marker) { m.Package, m.Name = "", "order of alice@example.com" },
		"another package": func(m *profile.Marker) { m.Name = "other.f" },
		"directory":       func(m *profile.Marker) { m.Package, m.Name = "_/home/alice/shop", "_/home/alice/shop.f" },
		"absolute":        func(m *profile.Marker) { m.Package, m.Name = "/home/alice/shop", "/home/alice/shop.f" },
		"kind":            func(m *profile.Marker) { m.Kind = "alice" },
		"control":         func(m *profile.Marker) { m.Name += "\n" },
		"no UTF-8":        func(m *profile.Marker) { m.Name += "\xff" },
		"long":            func(m *profile.Marker) { m.Name += strings.Repeat("x", 1000) },
	} {
		if a, left := Anonymous(&profile.Profile{Markers: []profile.Marker{marker(change)}}, false); left != 1 || len(a.Markers) != 0 {
			t.Errorf("%s: %d are left out of %d", name, left, left+len(a.Markers))
		}
	}
	for _, tt := range []struct{ main, version, release, want string }{
		{"example.com/shop", "v1.2.3", "go1.26.8", "example.com/shop@v1.2.3 go1.26.8"},
		{"example.com/shop", "0123456789ab+dirty", "devel go1.27-alice Mon Jan 5", "example.com/shop@0123456789ab+dirty go1.27"},
		{"_/home/alice", "alice@example.com-2026", "go1.26rc1 X:alice", "unknown@ go1.26rc1"},
		{"", "(devel)", "alice", "unknown@ "},
		{"command-line-arguments", "v0.0.0-20260909123456-67c00de99be9+dirty", "", "command-line-arguments@v0.0.0-20260909123456-67c00de99be9+dirty "},
	} {
		a, _ := Anonymous(&profile.Profile{App: "alice", Main: tt.main, Version: tt.version, Go: tt.release}, false)
		if got := a.Build() + " " + a.Go; got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// Of a run's start only the hour leaves the machine, by which the newest name of a marker is found.
func TestAnonymousStart(t *testing.T) {
	start := time.Date(2026, 5, 4, 13, 57, 8, 912345678, time.UTC)
	hour := time.Date(2026, 5, 4, 13, 0, 0, 0, time.UTC)
	p := &profile.Profile{Main: "example.com/shop", Start: start, Run: "20260504-135708.4711", Markers: []profile.Marker{{ID: 1, Name: "example.com/shop.f", Package: "example.com/shop", Kind: "func", File: "main.go", Count: 1}}}
	p.Newest = start.UnixNano()
	p.Markers[0].AsOf = start.UnixNano()
	a, _ := Anonymous(p, false)
	bodies, err := split(a, DefaultBatch)
	if err != nil {
		t.Fatal(err)
	}
	got, err := codec.Decode(bodies[0], "batch")
	if err != nil {
		t.Fatal(err)
	}
	if got.Newest != hour.UnixNano() || got.Markers[0].AsOf != hour.UnixNano() || strings.Contains(got.Run, "4711") || !got.Start.IsZero() {
		t.Errorf("newest %v, name of %v, run %q from %v", time.Unix(0, got.Newest).UTC(), time.Unix(0, got.Markers[0].AsOf).UTC(), got.Run, got.Start)
	}
}
