package isolate

import "testing"

func TestIsExported(t *testing.T) {
	for name, want := range map[string]bool{
		"p/q.F": true, "p/q.f": false, "p/q.T.M": true, "p/q.T.m": false, "p/q.t.M": false, "p/q.(*T).M": true,
		"p/q.(*t).M": false, "p/q.(*T).m": false, "p/q.F:func#1": false, "p/q.(*T).M:for#1": false,
		"p/q.init:func#1": false, "p/q.parse headers": true, "p/q.Ärger": true, "p/q.ärger": false, "p/q._": false,
	} {
		if got := IsExported("p/q", name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
