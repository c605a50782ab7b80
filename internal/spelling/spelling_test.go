package spelling

import "testing"

func TestNearest(t *testing.T) {
	names := []string{"build", "run", "test", "list", "init"}
	tests := []struct{ word, want string }{
		{"biuld", "build"}, {"rn", "run"}, {"tset", "test"}, {"lst", "list"}, {"builds", "build"},
		{"x", ""}, {"frob", ""}, {"", ""}, {"inti", "init"},
	}
	for _, test := range tests {
		if got := Nearest(test.word, names); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
}
