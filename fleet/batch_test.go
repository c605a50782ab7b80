package fleet_test

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/fleet"
)

// ParseRunID accepts exactly what String returns.
func TestRunID(t *testing.T) {
	id := fleet.NewRunID()
	if got, err := fleet.ParseRunID(id.String()); err != nil || got != id {
		t.Errorf("%v is %v, %v", id, got, err)
	}
	for _, text := range []string{"", "ab", strings.Repeat("g", 32), strings.Repeat("a", 31), strings.Repeat("a", 33), strings.Repeat("a", 34), strings.Repeat("a", 1000)} {
		if got, err := fleet.ParseRunID(text); err == nil || got != (fleet.RunID{}) {
			t.Errorf("%q is %v", text, got)
		}
	}
}
