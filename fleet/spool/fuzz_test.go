//go:build unix

package spool

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
)

// Whatever a spool contains under valid names, it can be opened and packed repeatedly, and files
// outside of it are not changed.
func FuzzSpool(f *testing.F) {
	file := some(2, 2).file(false)
	a, _ := Anonymous(&profile.Profile{Main: "example.com/shop", Runs: 1}, false)
	bodies, err := split(a, DefaultBatch)
	if err != nil {
		f.Fatal(err)
	}
	run := strings.Repeat("ab", 16)
	sound := []byte(`{"run":"` + run + `","first":0,"batches":1,"frozen":{"wall_ns":5},"age_ns":1,"source":"run-01.markgen","final":true,"replaces":["x"]}`)
	f.Add("run-01.markgen", file, "out/0000000001-"+run+"-0/note.json", sound)
	f.Add("run-01.markgen", profiletest.DemoPathRun().File(), "held", []byte("5"))
	f.Add("out/0000000001-"+run+"-0/00000000.markgen", bodies[0], "out/0000000001-"+run+"-0/note.json", sound)
	f.Add("out/1-a/note.json", []byte(`{"run":"`+run+`","replaces":["../../outside"],"source":"../outside","final":true}`), "refusals-taken", []byte("99999999999999999999"))
	f.Add("taken/run-01.markgen", []byte(`{"run":"`+run+`","next":7}`+"\n"), "run-01.markgen", file[:5000])
	f.Add("held", []byte("-5"), "refusals", []byte("+++"))
	f.Fuzz(func(t *testing.T, name1 string, text1 []byte, name2 string, text2 []byte) {
		above := memoryDir(t)
		dir, outside := filepath.Join(above, "spool"), filepath.Join(above, "outside")
		if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{name1: text1, name2: text2} {
			if !filepath.IsLocal(name) || strings.Contains(name, "\x00") {
				continue
			}
			to := filepath.Join(dir, name)
			_ = os.MkdirAll(filepath.Dir(to), 0o700) // fails if one name is a directory of the other
			_ = os.WriteFile(to, text, 0o600)
		}
		for i := range 2 {
			s, err := Open(dir)
			if err != nil {
				break // for example if a file is in the place of a directory
			}
			_, err = s.Pack(t.Context(), PackOptions{Batch: 500, Limit: 2000, Paths: i > 0})
			s.Close()
			if err != nil {
				break
			}
		}
		if text, err := os.ReadFile(outside); err != nil || string(text) != "mine" {
			t.Errorf("what is outside is %q, %v", text, err)
		}
	})
}

// Arbitrary bytes in the directory taken are read or refused; what is read can be written again.
func FuzzTaken(f *testing.F) {
	a, _ := Anonymous(&profile.Profile{Main: "example.com/shop", Runs: 1}, false)
	text, err := encodeTaken([16]byte{1}, 3, a)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, next, p, err := decodeTaken(text)
		if err != nil {
			return
		}
		again, err := encodeTaken(run, next, p)
		if err != nil {
			t.Fatal(err)
		}
		run2, next2, p2, err := decodeTaken(again)
		if err != nil || run2 != run || next2 != next {
			t.Fatalf("%v %d is %v %d, %v", run, next, run2, next2, err)
		}
		one, err1 := codec.Encode(p)
		two, err2 := codec.Encode(p2)
		if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Fatalf("%v, %v", err1, err2)
		}
	})
}
