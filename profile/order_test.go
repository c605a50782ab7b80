package profile

import (
	"cmp"
	"slices"
	"testing"
)

func TestCompareNames(t *testing.T) {
	for _, tt := range []struct{ first, second string }{
		{"", "a"}, {"a", "b"}, {"main.A", "main.a"}, {"main.f", "main.f:if#1"},
		{"if#2", "if#10"}, {"for#9", "for#10"}, {"for#10", "if#2"}, {"if#9.then", "if#10.else"}, {"if#10.else", "if#10.then"},
		{"switch#1.case#9", "switch#1.case#10"}, {"switch#2.case#10", "switch#10.case#2"},
		{"case#19", "case#20"}, {"case#99", "case#100"}, {"case#10", "case#10:if#1"}, {"func#1", "func#1:for#2"},
		{"if#18446744073709551616", "if#18446744073709551617"}, {"if#99999999999999999999", "if#100000000000000000000"},
		{"v2/pkg.F", "v10/pkg.F"}, {"step#2", "step2"}, {"step2", "stepA"}, {"step2", "step٣"},
		{"step001", "step1"}, {"step1", "step002"}, {"step09", "step10"}, {"step0", "step1"}, {"step00", "step01"},
		{"01b", "1a"}, // the number decides before the rest
	} {
		if a, b := CompareNames(tt.first, tt.second), CompareNames(tt.second, tt.first); a != -1 || b != 1 {
			t.Errorf("%q, %q: %d, and the other way round %d; want -1 and 1", tt.first, tt.second, a, b)
		}
		if c := CompareNames(tt.first, tt.first); c != 0 {
			t.Errorf("%q with itself: %d", tt.first, c)
		}
	}
}

// In the sorted list of all names of up to four bytes from a small alphabet, each compares less
// than all that follow. So the order is total, and only equal names are equal.
func TestCompareNamesIsTotal(t *testing.T) {
	names := []string{""}
	for from, length := 0, 1; length <= 4; length++ {
		to := len(names)
		for _, name := range names[from:to] {
			for _, c := range "019#a" {
				names = append(names, name+string(c))
			}
		}
		from = to
	}
	slices.SortFunc(names, CompareNames)
	for i, a := range names {
		for k, b := range names {
			if got, want := CompareNames(a, b), cmp.Compare(i, k); got != want {
				t.Fatalf("%q, %q: %d, but they are in places %d and %d", a, b, got, i, k)
			}
		}
	}
}
