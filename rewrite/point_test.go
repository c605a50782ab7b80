package rewrite

import (
	"slices"
	"testing"
)

// Head returns the header as in the source.
func TestHead(t *testing.T) {
	const text = `package p

func f(a, n int, c chan int, x any) {
	for i := 0; i < n; i++ {
		continue
	}
	for range a {
	}
	for {
		break
	}
	if v, ok := x.(int); ok &&
		v > 0 /* else */ { // positive
		a++
	} else if a == ' ' {
		a--
	} else {
		a = 0
	}
	switch y := x.(type) {
	case int, string:
		_ = y
	default:
	}
	switch {
	case a > 1, a < -1:
	}
	select {
	case v := <-c:
		_ = v
	case c <- 1:
	default:
	}
	_ = func() { return }
	//perf:mark hot path
	{
		a++
	}
	//perf:mark zeros
	if a == 0 {
		a++
	} else {
		a--
	}
	//perf:point here
}
`
	want := []string{
		"f: ",
		"f:for#1: for i := 0; i < n; i++", "f:for#2: for range a", "f:for#3: for",
		"f:if#1.then: if v, ok := x.(int); ok && v > 0", "f:if#2.then: if a == ' '", "f:if#2.else: else of if a == ' '",
		"f:switch#1.case#1: case int, string:", "f:switch#1.case#2: default:", "f:switch#2.case#1: case a > 1, a < -1:",
		"f:select#1.case#1: case v := <-c:", "f:select#1.case#2: case c <- 1:", "f:select#1.case#3: default:",
		"f:func#1: ", "f:hot path: ", "f:zeros.then: if a == 0", "f:zeros.else: else of if a == 0", "f:here: ",
	}
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{All: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range u.Points {
		got = append(got, p.Name[len("p."):]+": "+p.Head())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// A directive above a statement applies to the function literal in it, not to literals inside that.
func TestLiteralMeant(t *testing.T) {
	const text = `package p

//perf:mark out
var f = func(n int) {
	if func() bool { return n > 0 }() {
		n++
	}
	for range func() int { return n }() {
	}
}
`
	u, err := Load("p", []Source{{"p.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Find(Options{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range u.Points {
		got = append(got, p.Name)
	}
	if want := []string{"p.init:out"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
