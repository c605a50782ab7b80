package perf

import (
	"fmt"
	"reflect"
)

// differ describes how got differs from want, "" if it does not. The module requires no package
// that could do it better.
func differ(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return fmt.Sprintf("got  %+v\nwant %+v", got, want)
}
