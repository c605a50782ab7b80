package report_test

import (
	"testing"

	"github.com/markgen/markgen/report"
)

func TestRelative(t *testing.T) {
	for _, tt := range []struct {
		se, of float64
		known  bool
		want   string
	}{
		{5, 100, true, "5.0%"}, {1000, 100, true, "1000.0%"}, {1001, 100, true, ">1000%"}, {0, 100, true, "0"},
		{5, 0, true, "-"}, {5, 100, false, "-"},
	} {
		if got := report.Relative(tt.se, tt.of, tt.known); got != tt.want {
			t.Errorf("%g of %g: %s, want %s", tt.se, tt.of, got, tt.want)
		}
	}
}
