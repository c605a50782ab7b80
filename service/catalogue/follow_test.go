package catalogue_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/markgen/markgen/fleet"
	"github.com/markgen/markgen/registry"
	"github.com/markgen/markgen/service/catalogue"
	"github.com/markgen/markgen/service/catalogue/cataloguetest"
	"github.com/markgen/markgen/service/store"
)

// A log is a list of changes; a cursor is an index in it. It fails regularly, sometimes in the
// middle.
type log struct {
	mu    sync.Mutex
	list  []fleet.API
	asked int
	fails int
}

func (l *log) Changed(ctx context.Context, after store.Cursor, limit int, visit func(*fleet.API) error) (store.Cursor, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	from, _ := strconv.Atoi(string(after))
	if from > len(l.list) {
		return after, false, store.ErrCursor
	}
	to := min(len(l.list), from+min(limit, 700))
	var one fleet.API // reused, as a store may do
	for i := from; i < to; i++ {
		if l.fails > 0 && l.asked%l.fails == 0 && i == from+300 {
			return after, false, errors.New("gone")
		}
		one = l.list[i]
		if err := visit(&one); err != nil {
			return after, false, err
		}
	}
	return store.Cursor(fmt.Sprint(to)), to < len(l.list), nil
}

func (l *log) add(list ...fleet.API) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, list...)
}

// An index has what its source has, a little later, whatever errors occur in between.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := cataloguetest.Make(5000, 3)
		l := &log{fails: 3}
		l.add(list[:4000]...)
		x := catalogue.New()
		ctx, stop := context.WithCancel(t.Context())
		failed := 0
		done := make(chan bool)
		go func() {
			x.Follow(ctx, l, catalogue.Options{Failed: func(err error) { failed++ }})
			close(done)
		}()
		if x.Ready() && x.Len() < 4000 {
			t.Error("it is ready before it has all")
		}
		time.Sleep(time.Minute)
		if !x.Ready() || x.Len() != 4000 || failed == 0 {
			t.Errorf("after a minute it is ready: %t, with %d APIs; the source failed %d times", x.Ready(), x.Len(), failed)
		}
		for i := range list {
			list[i].Count++
		}
		l.add(list...)
		time.Sleep(time.Minute)
		if x.Len() != len(list) {
			t.Errorf("%d APIs, not %d", x.Len(), len(list))
		}
		for i := range list {
			if a, _ := x.API(list[i].ID); a.Count != list[i].Count {
				t.Fatalf("%s was called %d times, not %d", a.Name, a.Count, list[i].Count)
			}
		}
		stop()
		<-done
	})
}

// A source that is restored to an earlier state is followed from there.
func TestFollowBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := cataloguetest.Make(2000, 3)
		l := &log{}
		l.add(list...)
		x := catalogue.New()
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan bool)
		go func() {
			x.Follow(ctx, l, catalogue.Options{Failed: func(err error) { t.Error(err) }})
			close(done)
		}()
		time.Sleep(time.Minute)
		changes := x.Changes()
		l.mu.Lock()
		l.list = l.list[:900]
		l.mu.Unlock()
		time.Sleep(time.Minute)
		if _, ok := x.API(list[1500].ID); !x.Ready() || x.Len() != 900 || ok || x.Changes() == changes {
			t.Errorf("ready: %t, %d APIs, one that is gone is there: %t", x.Ready(), x.Len(), ok)
		}
		if a, ok := x.API(list[10].ID); !ok || a.Name != list[10].Name || a.Package != list[10].Package {
			t.Errorf("%+v, not %+v", a, list[10])
		}
		stop()
		<-done
	})
}

func TestList(t *testing.T) {
	list := cataloguetest.Make(3000, 5)
	x := catalogue.New()
	x.Put(list...)
	all := func(l catalogue.List) (out []fleet.API) {
		for {
			part := x.List(l)
			out = append(out, part.APIs...)
			if part.Next == 0 {
				if len(out) != part.Total {
					t.Errorf("%+v: %d APIs of %d", l, len(out), part.Total)
				}
				return out
			}
			l.After = part.Next
		}
	}
	seen := map[registry.ID]bool{}
	for i, a := range all(catalogue.List{Order: catalogue.ByTime, Limit: 70}) {
		if i > 0 && seen[a.ID] {
			t.Errorf("%s comes twice", a.Name)
		}
		seen[a.ID] = true
	}
	if len(seen) != len(list) {
		t.Errorf("%d of %d are listed", len(seen), len(list))
	}
	in := all(catalogue.List{Package: list[60].Package, Limit: 7})
	for i, a := range in {
		if a.Package != list[60].Package || i > 0 && strings.ToLower(in[i-1].Name) > strings.ToLower(a.Name) && in[i-1].Name[:3] == a.Name[:3] && !strings.Contains(a.Name+in[i-1].Name, "(*") {
			t.Errorf("%s after %s", a.Name, in[i-1].Name)
		}
	}
	if len(in) != 50 {
		t.Errorf("%d APIs in a package of 50", len(in))
	}
	since := list[2000].First
	if came := all(catalogue.List{Order: catalogue.ByFirst, Came: since, Limit: 300}); len(came) != 1000 || came[0].First.Before(came[1].First) {
		t.Errorf("%d of 1000 came since, the newest first: %v, %v", len(came), came[0].First, came[1].First)
	}
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	for _, l := range []catalogue.List{{Came: day(2199)}, {Came: day(9999)}, {Changed: day(9999)}, {Known: day(1000)}} {
		if got := x.List(l); got.Total != 0 {
			t.Errorf("%+v: %d", l, got.Total)
		}
	}
	for _, l := range []catalogue.List{{Came: day(1000)}, {Changed: day(1000)}, {Known: day(9999)}} {
		if got := x.List(l); got.Total != len(list) {
			t.Errorf("%+v: %d of %d", l, got.Total, len(list))
		}
	}
	for i := range list {
		want := 0
		for k := range list {
			if strings.HasPrefix(list[k].Name, list[i].Name+":") {
				want++
			}
		}
		if got := x.List(catalogue.List{Inside: list[i].ID}); got.Total != want {
			t.Errorf("%d markers in %s, not %d", got.Total, list[i].Name, want)
		}
		if i == 200 {
			break
		}
	}
	for _, l := range []catalogue.List{{Kind: "none"}, {Package: "none"}, {Inside: 1}, {After: 1}} {
		if got := x.List(l); got.Total != 0 || got.APIs != nil {
			t.Errorf("%+v: %d", l, got.Total)
		}
	}
}
