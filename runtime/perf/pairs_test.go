//go:build markgen_virtual && !markgen_off && (amd64 || arm64)

package perf

import (
	"fmt"
	"slices"
	"testing"

	"github.com/markgen/markgen/runtime/internal/directory"
	"github.com/markgen/markgen/runtime/layout"
)

// pairsOf runs f while pairs are recorded, and returns the pairs of three markers, as digits.
func pairsOf(t *testing.T, f func(m *[3]Marker)) (pairs []string) {
	t.Helper()
	m := collected(t)
	for i := range m {
		opened(&m[i], func() {})
	}
	kept := hot.hooks
	hot.hooks |= hookPairs
	pairRows = nil
	defer func() { hot.hooks, pairRows = kept, nil }()
	f(m)
	for i := range m {
		for k := range i + 1 {
			a, b := m[i].index&layout.IndexMask, m[k].index&layout.IndexMask
			if r := directory.Load(&pairRows, max(a, b)); r != nil && r.Has(uint64(min(a, b)-firstIndex)) {
				pairs = append(pairs, fmt.Sprint(k, i))
			}
		}
	}
	return pairs
}

func TestPairs(t *testing.T) {
	nothing := func() {}
	for _, tt := range []struct {
		name string
		run  func(m *[3]Marker)
		want []string
	}{
		{"one after the other", func(m *[3]Marker) { opened(&m[0], nothing); opened(&m[1], nothing) }, nil},
		{"inside", func(m *[3]Marker) { opened(&m[0], func() { opened(&m[1], nothing) }) }, []string{"0 1"}},
		{"three deep", func(m *[3]Marker) {
			opened(&m[2], func() { opened(&m[0], func() { opened(&m[1], nothing) }) })
		}, []string{"0 1", "0 2", "1 2"}},
		{"inside itself", func(m *[3]Marker) {
			opened(&m[0], func() { opened(&m[1], func() { opened(&m[0], nothing) }) })
		}, []string{"0 0", "0 1"}},
		{"on another goroutine", func(m *[3]Marker) {
			opened(&m[0], func() {
				done := make(chan bool)
				go func() { opened(&m[1], nothing); close(done) }()
				<-done
			})
		}, nil},
		{"deep", func(m *[3]Marker) {
			var down func(n int)
			down = func(n int) {
				if n == 0 {
					opened(&m[1], nothing)
					return
				}
				opened(&m[0], func() { down(n - 1) })
			}
			opened(&m[2], func() { down(150) })
		}, []string{"0 0", "0 1", "0 2", "1 2"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := pairsOf(t, tt.run); !slices.Equal(got, tt.want) && len(got)+len(tt.want) > 0 {
				slices.Sort(tt.want)
				slices.Sort(got)
				if !slices.Equal(got, tt.want) {
					t.Errorf("%v, want %v", got, tt.want)
				}
			}
		})
	}
}

// With outermost a scope inside another of its marker is not recorded, whatever is between the two,
// and the scope after it is.
func TestOutermost(t *testing.T) {
	m := collected(t)
	opened(&m[0], func() {})
	opened(&m[1], func() {})
	for _, shut := range []bool{false, true} {
		testOutermost(t, m, shut)
	}
}

func testOutermost(t *testing.T, m *[3]Marker, shut bool) {
	conf.Outermost, conf.Shut = true, shut
	defer func() { conf.Outermost, conf.Shut = false, false }()
	a0, n0 := counted(&m[0])
	b0, _ := counted(&m[1])
	for range 3 {
		opened(&m[0], func() {
			opened(&m[0], func() { opened(&m[1], func() { opened(&m[0], func() {}) }) })
			var s Scope
			s.Enter(&m[0])
			s.Exit()
		})
	}
	// A panic that leaves a shut marker's scope does not leave the marker shut.
	for range 2 {
		func() {
			defer func() { Recovered(recover()) }()
			opened(&m[0], func() { opened(&m[0], func() { panic("out") }) })
		}()
	}
	own().endLeft(0, now())
	if m[0].Off != 0 {
		t.Errorf("shut %v: the marker is left with %#x", shut, m[0].Off)
	}
	a, n := counted(&m[0])
	b, _ := counted(&m[1])
	if a-a0 != 5 || n != n0 || b-b0 != 3 {
		t.Errorf("shut %v: %d scopes, %d ns nested, %d of another; want 5, 0, 3", shut, a-a0, n-n0, b-b0)
	}
}
