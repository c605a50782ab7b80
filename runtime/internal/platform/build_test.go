package platform

import (
	"strings"
	"testing"

	"github.com/markgen/markgen/runtime/layout"
)

func TestBuild(t *testing.T) {
	const revision = "build\tvcs.revision=67c00de99be9d83519b338cbf6e17552b18a527f\n"
	for _, tt := range []struct{ text, main, version string }{
		{"", "", ""},
		{"path\texample.com/shop/cmd/shop\nmod\texample.com/shop\t(devel)\t\n", "example.com/shop/cmd/shop", ""},
		{"path\texample.com/shop\nmod\texample.com/shop\tv1.4.2\th1:abc=\n", "example.com/shop", "v1.4.2"},
		{"path\texample.com/shop\nmod\texample.com/shop\tv0.0.0-20260909123456-67c00de99be9+dirty\t\n" + revision, "example.com/shop", "v0.0.0-20260909123456-67c00de99be9+dirty"},
		{"path\texample.com/shop\nmod\texample.com/shop\t(devel)\t\ndep\texample.com/other\tv9.9.9\th1:x=\n" + revision + "build\tvcs.modified=false\n", "example.com/shop", "67c00de99be9"},
		{"path\texample.com/shop\nmod\texample.com/shop\t(devel)\n" + revision + "build\tvcs.modified=true\n", "example.com/shop", "67c00de99be9+dirty"},
		{"path\tcommand-line-arguments\n", "command-line-arguments", ""},
		{"path\texample.com/shop.test\nmod\texample.com/shop\t\t", "example.com/shop.test", ""},
		{"path\t" + strings.Repeat("x", layout.SizeMain) + "\nmod\tx\tversion\t\n" + "build\tvcs.revision=abc\n", "", "abc"},
	} {
		around := strings.Repeat("?", 16)
		if main, version := Build(around + tt.text + around); main != tt.main || version != tt.version {
			t.Errorf("%q: %q at %q, want %q at %q", tt.text, main, version, tt.main, tt.version)
		}
	}
	if main, version := Build("short"); main != "" || version != "" {
		t.Errorf("of nothing %q at %q", main, version)
	}
}
