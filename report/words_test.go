package report

import "testing"

func TestShorten(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"a/b.F", 5, "a/b.F"},
		{"example.com/a/b.F", 10, "…/a/b.F"},
		{"example.com/a/b.F", 6, "…/b.F"},
		{"example.com/a/b.Func", 5, "…Func"},
		{"example.com/a/b.F", 1, "…"},
		{"example.com/a/b.F", 0, ""},
		{"example.com/a/b.F", -1, ""},
		{"日本語", 3, "日本語"},
		{"日本語", 2, "…語"},
	} {
		if got := shorten(tt.text, tt.n); got != tt.want {
			t.Errorf("%q in %d columns is %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestBegin(t *testing.T) {
	for _, tt := range []struct {
		text string
		n    int
		want string
	}{
		{"run 1 of 3", 10, "run 1 of 3"},
		{"run 1 of 3", 6, "run 1…"},
		{"run 1 of 3", 1, "…"},
		{"run 1 of 3", 0, ""},
		{"run 1 of 3", -1, ""},
		{"", 0, ""},
		{"日本語", 3, "日本語"},
		{"日本語", 2, "日…"},
	} {
		if got := Begin(tt.text, tt.n); got != tt.want {
			t.Errorf("%q in %d columns is %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		filter, name string
		want         bool
	}{
		{"", "a.B", true}, {"b", "a.B", true}, {"A.", "a.B", true}, {"c", "a.B", false}, {"(*t)", "a.(*T).M", true},
		{"a*b", "a.B", true}, {"a?b", "a.B", true}, {"*a", "a.B", false}, {".*b", "a.B", false},
	} {
		if got := Matches(test.filter, test.name); got != test.want {
			t.Errorf("Matches(%q, %q) = %v", test.filter, test.name, got)
		}
	}
}
