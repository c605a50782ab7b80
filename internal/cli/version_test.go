package cli

import (
	"runtime/debug"
	"testing"
)

// The commit is printed if it is not part of the version: since Go 1.24, builds between tags have a
// pseudo-version with the commit.
func TestCommitOf(t *testing.T) {
	commit := debug.BuildSetting{Key: "vcs.revision", Value: "602331b0b35a4a30de29f1fafec9bd944f8269e9"}
	tests := []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", []debug.BuildSetting{commit}, " commit 602331b0b35a"},       // from a checkout of the tag
		{"v0.1.0+dirty", []debug.BuildSetting{commit}, " commit 602331b0b35a"}, // from one with changes
		{"v0.1.0", nil, ""},  // go install …@v0.1.0
		{"(devel)", nil, ""}, // -buildvcs=false
		{"v0.0.0-20261129143441-602331b0b35a", []debug.BuildSetting{commit}, ""}, // from a checkout between tags
	}
	for _, test := range tests {
		info := &debug.BuildInfo{Main: debug.Module{Version: test.version}, Settings: test.settings}
		if got := commitOf(info); got != test.want {
			t.Errorf("%s with %v: %q, want %q", test.version, test.settings, got, test.want)
		}
	}
}
