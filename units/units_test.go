package units

import (
	"math"
	"testing"
)

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		ns   float64
		want string
	}{
		{0, "0.00ns"}, {0.4, "0.40ns"}, {9.994, "9.99ns"}, {9.996, "10.0ns"}, {99.94, "99.9ns"}, {99.96, "100ns"},
		{999.4, "999ns"}, {999.6, "1.00µs"}, {12_345, "12.3µs"}, {999_499, "999µs"}, {999_501, "1.00ms"},
		{1.5e6, "1.50ms"}, {123.4e6, "123ms"}, {999.6e6, "1.00s"}, {59.94e9, "59.9s"}, {59.96e9, "1m00s"}, {83e9, "1m23s"},
		{3599.4e9, "59m59s"}, {3599.6e9, "1h00m"}, {11_230e9, "3h07m"}, {100 * 3600e9, "4d04h"}, {math.MaxUint64, "213503d23h"},
	} {
		if got := Duration(tt.ns); got != tt.want {
			t.Errorf("%v ns is written %s, want %s", tt.ns, got, tt.want)
		}
	}
}

func TestMeasured(t *testing.T) {
	for _, tt := range []struct {
		ns, quantum float64
		want        string
	}{
		{0, 0.74, "<1ns"}, {0.0049, 0.74, "<1ns"}, {0.005, 0.74, "0.01ns"}, {0.4, 0.74, "0.40ns"},
		{0, 10.04, "<10ns"}, {0.004, 9.6, "<10ns"}, {0.4, 10, "0.40ns"}, {12, 10, "12.0ns"},
		{0, 41.67, "<42ns"}, {0, 1.4, "<1ns"}, {0, 1000, "<1.00µs"}, {0, 0, "<1ns"}, {1e6, 10, "1.00ms"},
	} {
		if got := Measured(tt.ns, tt.quantum); got != tt.want {
			t.Errorf("%v ns by a clock with steps of %v ns is written %s, want %s", tt.ns, tt.quantum, got, tt.want)
		}
	}
}

func TestWholeDuration(t *testing.T) {
	for ns, want := range map[uint64]string{0: "0ns", 7: "7ns", 999: "999ns", 1000: "1.00µs", math.MaxUint64: "213503d23h"} {
		if got := WholeDuration(ns); got != want {
			t.Errorf("%d ns is written %s, want %s", ns, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567", math.MaxUint64: "18,446,744,073,709,551,615"} {
		if got := Count(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00", 2.5: "2.50", 99.96: "100", 999.4: "999", 999.5: "1,000", 12345.6: "12,346", math.MaxFloat64: "9,223,372,036,854,775,808"} {
		if got := Number(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
}

func TestFrequency(t *testing.T) {
	for hz, want := range map[float64]string{2.1e9: "2.100GHz", 24e6: "24.00MHz", 1e9: "1.000GHz", 50: "50Hz"} {
		if got := Frequency(hz); got != want {
			t.Errorf("%v is written %s, want %s", hz, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{Plural(0, "marker"), "0 markers"}, {Plural(1, "marker"), "1 marker"}, {Plural(uint64(12345), "pass"), "12,345 passes"},
		{Plural(1, "branch"), "1 branch"}, {Plural(2, "branch"), "2 branches"}, {Plural(-1, "marker"), "0 markers"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}
