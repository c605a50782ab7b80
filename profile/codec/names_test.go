package codec_test

import (
	"errors"
	"testing"

	"github.com/markgen/markgen/profile/codec"
	"github.com/markgen/markgen/profile/profiletest"
)

// NamesSize works on the beginning of a file, and rejects other files.
func TestNamesSize(t *testing.T) {
	few, err := codec.Encode(profiletest.Random(1, 1))
	if err != nil {
		t.Fatal(err)
	}
	many, err := codec.Encode(profiletest.Random(1000, 1))
	if err != nil {
		t.Fatal(err)
	}
	a, errA := codec.NamesSize(few)
	b, errB := codec.NamesSize(many)
	if errA != nil || errB != nil || a < 20 || b < 100*1000/4 || b < uint64(len(many)/20) {
		t.Errorf("%d %v, %d %v", a, errA, b, errB)
	}
	for n := range 64 {
		if _, err := codec.NamesSize(few[:n]); err == nil {
			t.Errorf("%d bytes of a file are taken", n)
		}
	}
	few[8] = 99
	var version *codec.VersionError
	if _, err := codec.NamesSize(few); !errors.As(err, &version) || version.File != 99 {
		t.Errorf("%v", err)
	}
	if _, err := codec.NamesSize(profiletest.Run{}.File()); err == nil {
		t.Error("the data file of a run is taken")
	}
}
