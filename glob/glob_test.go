package glob

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b.c", true}, {"a*", "a", true},
		{"*b", "ab", true}, {"*b", "abc", false}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"(*T).M", "(*T).M", true}, {"(*T).M", "(T).M", true}, {"*a*b*c", "xaxbxbxc", true}, {"*a*b*c", "xcxbxa", false},
		{"[ab]", "a", false}, {"[ab]", "[ab]", true}, {"a*c", "abcd", false}, {"?", "a", true}, {"?", "", false},
		{"**a", "ba", true}, {"*a*", "b", false}, {"a*a", "a", false},
	}
	for _, test := range tests {
		if got := Match(test.pattern, test.text); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
	if text := strings.Repeat("a", 10000); Match(strings.Repeat("*a", 1000)+"b", text) {
		t.Error("matched")
	}
}

func TestName(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"example.com/shop.price", "example.com/shop.price", true}, {"shop.price", "example.com/shop.price", true}, {"shop.*", "example.com/shop.price", true},
		{"price", "example.com/shop.price", false}, {"com/shop.price", "example.com/shop.price", false}, {"main.f", "main.f", true},
	} {
		if got := Name(test.pattern, test.name); got != test.want {
			t.Errorf("Name(%q, %q) = %v", test.pattern, test.name, got)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, test := range []struct {
		filter, name string
		want         bool
	}{
		{"", "a.B", true}, {"b", "a.B", true}, {"A.", "a.B", true}, {"c", "a.B", false}, {"(*t)", "a.(*T).M", true},
		{"a*b", "a.B", true}, {"a?b", "a.B", true}, {"*a", "a.B", false}, {".*b", "a.B", false},
	} {
		if got := Means(test.filter, test.name); got != test.want {
			t.Errorf("Means(%q, %q) = %v", test.filter, test.name, got)
		}
	}
}
