package calc

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var setUp = flag.Bool("setup", true, "")

func TestMain(m *testing.M) {
	flag.Parse()
	if *setUp {
		fmt.Println("set up")
	}
	defer fmt.Println("not printed")
	code := m.Run()
	fmt.Println("torn down", calls > 0)
	if code == 1 {
		os.Exit(5)
	}
	os.Exit(code)
}

func want(t testing.TB, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestDiv(t *testing.T) {
	for _, tt := range []struct {
		a, b, want int
		err        error
	}{{6, 3, 2, nil}, {1, 0, 0, ErrZero}} {
		t.Run(fmt.Sprint(tt.a, "/", tt.b), func(t *testing.T) {
			got, err := Div(tt.a, tt.b)
			want(t, got, tt.want)
			if err != tt.err {
				t.Fatal(err)
			}
			t.Log("here")
			t.Cleanup(func() { t.Log("cleanup") })
		})
	}
}

func TestFails(t *testing.T) {
	helper := func(n int) {
		t.Helper()
		want(t, unexported(n), 7) // reported at the caller's line
	}
	helper(4)
	for i := range 2 {
		helper(i)
	}
}

func TestSkips(t *testing.T) {
	for tb := testing.TB(t); ; {
		tb.Skip("skipped here")
	}
}

func TestPanicsInSubtest(t *testing.T) {
	defer func() {
		if r := recover(); r != nil {
			t.Log("recovered", r)
		}
	}()
	panic("in test")
}

func TestParallel(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			want(t, unexported(i), i*(i-1)/2)
		})
	}
}

func TestAllocs(t *testing.T) {
	if n := testing.AllocsPerRun(10, func() { unexported(10) }); n != 0 {
		t.Error(n)
	}
}

func TestFailNow(t *testing.T) {
	defer t.Log("deferred")
	for range 3 {
		t.FailNow()
	}
}

func BenchmarkDiv(b *testing.B) {
	for b.Loop() {
		Div(4, 2)
	}
}

func FuzzDiv(f *testing.F) {
	f.Add(4, 2)
	f.Add(1, 0)
	f.Fuzz(func(t *testing.T, a, b int) {
		if _, err := Div(a, b); (b == 0) != (err != nil) {
			t.Error(a, b, err)
		}
	})
}
