package report

import (
	"testing"

	"github.com/markgen/markgen/profile"
)

func TestCommonPart(t *testing.T) {
	marker := func(pkg, name string) profile.Marker {
		if pkg != "" {
			name = pkg + "." + name
		}
		return profile.Marker{Package: pkg, Name: name}
	}
	for _, tt := range []struct {
		markers []profile.Marker
		want    commonPart
	}{
		{nil, ""},
		{[]profile.Marker{marker("example.com/shop/cart", "Add"), marker("example.com/shop/cart", "(*Cart).Total:for#1")}, "example.com/shop/cart."},
		{[]profile.Marker{marker("example.com/shop/cart", "Add"), marker("example.com/shop/cart_test", "Add")}, "example.com/shop/"},
		{[]profile.Marker{marker("example.com/shop", "main"), marker("example.com/shop/cart", "Add"), marker("example.com/shop/tax", "Add")}, "example.com/"},
		{[]profile.Marker{marker("example.com/shop/cart", "Add"), marker("github.com/x/cart", "Add")}, ""},
		{[]profile.Marker{marker("command-line-arguments", "main")}, "command-line-arguments."},
		{[]profile.Marker{marker("strconv", "Itoa"), marker("strings", "Cut")}, ""},
		{[]profile.Marker{marker("example.com/shop/cart", "Add"), marker("", "batch of orders")}, "example.com/shop/cart."},
		{[]profile.Marker{marker("example.com/shop/cart", "Add"), marker("", "Add")}, ""}, // a row would not say which of the two it is
		{[]profile.Marker{marker("", "batch of orders")}, ""},
	} {
		if got := commonPartOf(pointers(tt.markers)); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.markers, got, tt.want)
		}
	}
}

func pointers(markers []profile.Marker) (list []*profile.Marker) {
	for i := range markers {
		list = append(list, &markers[i])
	}
	return list
}
