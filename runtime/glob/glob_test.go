package glob

import (
	"regexp"
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
		{"*.Parse", "example.com/x.Parse", true}, {"example.com/*", "example.com/x/y.(*T).M:for#1", true},
		{"x.(*T).M", "x.T.M", false}, {"*:for#?", "x.F:for#1", true}, {"*:for#?", "x.F:for#12", false},
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

// Match says what the regular expression says that the glob stands for.
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
		if got := Match(glob, name); got != want {
			t.Errorf("Match(%q, %q) = %v", glob, name, got)
		}
	})
}

func TestAny(t *testing.T) {
	for patterns, want := range map[string]bool{"": false, ";": false, "a.F": true, "b;*.F": true, "*.G;;b": false, ";*": true, "b;F": false} {
		if got := Any(patterns, "example.com/a.F"); got != want {
			t.Errorf("%q: %t", patterns, got)
		}
	}
}
