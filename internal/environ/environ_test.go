package environ

import (
	"slices"
	"testing"
)

func TestGet(t *testing.T) {
	environ := []string{"A=1", "AB=2", "A=3=4", "B=", "C"}
	for key, want := range map[string]string{"A": "3=4", "AB": "2", "B": "", "C": "", "D": "", "": ""} {
		if got := Get(environ, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func TestSet(t *testing.T) {
	environ := []string{"A=1", "AB=2", "A=3"}
	if got, want := Set(environ, "A", "x=y"), []string{"AB=2", "A=x=y"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if environ[0] != "A=1" {
		t.Errorf("the environment itself is changed: %q", environ)
	}
	if got := Set(nil, "A", "1"); !slices.Equal(got, []string{"A=1"}) {
		t.Errorf("%q", got)
	}
}
