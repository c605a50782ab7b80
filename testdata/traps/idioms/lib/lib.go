// Package lib has what Go programs do with functions, iterators, interfaces and small values, much of which costs no
// allocation because the compiler inlines it.
package lib

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	sink int
	fs   float64
	sb   bool
	s    = []int{1, 2, 3, 4}
)

// Idioms runs each and yields how many allocations a run makes.
func Idioms(yield func(name string, allocs float64) bool) {
	var l *List
	for _, v := range s {
		l = l.Push(v)
	}
	m := map[int]int{1: 2, 2: 3}
	ps := []Person{{"a", 3}, {"b", 2}, {"c", 9}}
	b := make([]byte, 100)
	mm := map[string]int{}
	set := &Set{m}
	lg := &Logger{w: io.Discard}
	mk := map[[2]int]int{}
	bb := []byte("xyz")
	r := rand.New(rand.NewSource(1))
	for _, x := range []struct {
		name string
		do   func()
	}{
		{"SumList", func() { sink = SumList(l) }},
		{"SumEven", func() { sink = SumEven(l) }},
		{"SumMap", func() { sink = SumMap(l) }},
		{"SumKeys", func() { sink = SumKeys(m) }},
		{"Words", func() { sink = Words("a b c") }},
		{"Lines", func() { sink = Lines("a b c\nd") }},
		{"SortP", func() { SortP(ps) }},
		{"SortO", func() { SortO(ps) }},
		{"Find", func() { Find(ps, "b") }},
		{"Use", func() { sink = Use() }},
		{"Pull", func() { sink = Pull(l) }},
		{"UseStack", func() { sink = UseStack() }},
		{"UseShapes", func() { fs = UseShapes() }},
		{"UseNew", func() { fs = UseNew() }},
		{"UseBuf", func() { sink = UseBuf() }},
		{"UseWalk", func() { sink = UseWalk() }},
		{"UseLocked", func() { sink = UseLocked() }},
		{"UseMust", func() { sink = UseMust() }},
		{"UseClone", func() { sink = UseClone(b) }},
		{"UseKey", func() { sink = UseKey(mm) }},
		{"UsePtr", func() { sink = UsePtr() }},
		{"Reduce", func() { sink = Reduce(slices.Values(s), 0, func(a, b int) int { return a + b }) }},
		{"Direct", func() {
			for x := range l.All() {
				sink += x
			}
		}},
		{"Set.Sum", func() { sink = set.Sum() }},
		{"SumEvens", func() { sink = SumEvens(l) }},
		{"UseTake", func() { sink = UseTake(l) }},
		{"UseEnum", func() { sink = UseEnum(l) }},
		{"UseAdder", func() { sink = UseAdder() }},
		{"UseCompose", func() { sink = UseCompose() }},
		{"UseLog", func() { _ = UseLog(lg, "x") }},
		{"UseCheck", func() { sb = UseCheck() }},
		{"UseWrap", func() { sb = UseWrap() }},
		{"UseB", func() { sink = UseB() }},
		{"UseP", func() { fs = UseP() }},
		{"UsePool", func() { sink = UsePool() }},
		{"UseReader", func() { sink = UseReader() }},
		{"UseVisitor", func() { sink = UseVisitor() }},
		{"UseCtx", func() { sink = UseCtx() }},
		{"UseTern", func() { sink = UseTern(sb) }},
		{"UseHeap", func() { sink = UseHeap() }},
		{"UseSorted", func() { sink = UseSorted(m) }},
		{"UseFmt", func() { sink = UseFmt() }},
		{"UseBytes", func() { sink = UseBytes("hello") }},
		{"UseGrid", func() { sink = UseGrid() }},
		{"UseTimer", func() { sb = UseTimer() }},
		{"Defer", func() { _ = Defer() }},
		{"UseRetry", func() { sink = UseRetry() }},
		{"Rand", func() { sink = Rand(r) }},
		{"UseArr", func() { sink = UseArr() }},
		{"UseOpt", func() { sink = UseOpt() }},
		{"Keyed", func() { sink = Keyed(mk, 1, 2) }},
		{"Lookup", func() { sink = Lookup(mm, bb) }},
		{"UseAny", func() { sink = UseAny(1000) }},
		{"Chan", func() { sink = Chan() }},
		{"Clo", func() { sink = Clo() }},
		{"UseEach", func() { sink = UseEach(l) }},
		{"UseRec", func() { sink = UseRec(l) }},
		{"Settled", func() { sink = Settled(3).n }},
		{"Squares", func() { sink = Squares(3)[2] }},
		{"Summed", func() { sink = Summed(3).(int) }},
		{"Check3", func() { sb = Check3(3) != nil }},
		{"Named", func() { sb = Named("abc") != nil }},
		{"Area", func() { fs = Area(3).Area() }},
		{"Pair", func() { _, v := Pair(3); sink = v.(account).n }},
		{"Boxed", func() { sink = Boxed(3).v.(int) }},
		{"BoxedIn", func() { sink = BoxedIn(3).v.(int) }},
		{"Bound", func() { a := account{}; sink = Bound(&a, 3)() }},
	} {
		if !yield(x.name, testing.AllocsPerRun(100, x.do)) {
			return
		}
	}
}

type List struct {
	v    int
	next *List
}

func (l *List) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; l != nil; l = l.next {
			if !yield(l.v) {
				return
			}
		}
	}
}

func (l *List) Push(v int) *List { return &List{v, l} }

func Filter[T any](seq iter.Seq[T], ok func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range seq {
			if ok(x) && !yield(x) {
				return
			}
		}
	}
}

func Map[T, U any](seq iter.Seq[T], f func(T) U) iter.Seq[U] {
	return func(yield func(U) bool) {
		seq(func(x T) bool { return yield(f(x)) })
	}
}

func Reduce[T, U any](seq iter.Seq[T], u U, f func(U, T) U) U {
	for x := range seq {
		u = f(u, x)
	}
	return u
}

func SumList(l *List) int {
	t := 0
	for x := range l.All() {
		t += x
	}
	return t
}

func SumEven(l *List) int {
	t := 0
	for x := range Filter(l.All(), func(i int) bool { return i%2 == 0 }) {
		t += x
	}
	return t
}

func SumMap(l *List) int {
	return Reduce(Map(l.All(), func(i int) int { return i * 2 }), 0, func(a, b int) int { return a + b })
}

func SumKeys(m map[int]int) int {
	t := 0
	for k := range maps.Keys(m) {
		if k < 0 {
			break
		}
		t += k
	}
	return t
}

func Words(s string) (n int) {
	for range strings.FieldsSeq(s) {
		n++
	}
	return
}

func Lines(s string) (n int) {
	for l := range strings.Lines(s) {
		for w := range strings.SplitSeq(l, " ") {
			if w == "stop" {
				return n
			}
			n += len(w)
		}
	}
	return
}

type Person struct {
	Name string
	Age  int
}

func SortP(ps []Person) {
	slices.SortFunc(ps, func(a, b Person) int { return cmp.Compare(a.Age, b.Age) })
}

func SortO(ps []Person) {
	sort.Slice(ps, func(i, j int) bool { return ps[i].Age < ps[j].Age })
}

func Find(ps []Person, name string) (Person, bool) {
	i := slices.IndexFunc(ps, func(p Person) bool { return p.Name == name })
	if i < 0 {
		return Person{}, false
	}
	return ps[i], true
}

type Option func(*config)
type config struct{ a, b int }

func WithA(a int) Option { return func(c *config) { c.a = a } }
func WithB(b int) Option {
	if b < 0 {
		return func(c *config) {}
	}
	return func(c *config) { c.b = b }
}

func New(opts ...Option) *config {
	c := &config{}
	for _, o := range opts {
		o(c)
	}
	return c
}

func Use() int {
	c := New(WithA(1), WithB(2))
	return c.a + c.b
}

func Pull(l *List) int {
	next, stop := iter.Pull(l.All())
	defer stop()
	t := 0
	for {
		v, ok := next()
		if !ok {
			return t
		}
		t += v
	}
}

type Stack[T any] struct{ xs []T }

func (s *Stack[T]) Push(x T) { s.xs = append(s.xs, x) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.xs) == 0 {
		return x, false
	}
	x = s.xs[len(s.xs)-1]
	s.xs = s.xs[:len(s.xs)-1]
	return x, true
}
func (s *Stack[T]) Backward() iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		for i := len(s.xs) - 1; i >= 0; i-- {
			if !yield(i, s.xs[i]) {
				return
			}
		}
	}
}

func UseStack() (t int) {
	var s Stack[int]
	for i := range 4 {
		s.Push(i)
	}
	for i, x := range s.Backward() {
		t += i * x
	}
	for {
		x, ok := s.Pop()
		if !ok {
			break
		}
		t += x
	}
	return
}

type Shape interface{ Area() float64 }
type Sq struct{ s float64 }
type Ci struct{ r float64 }

func (s Sq) Area() float64  { return s.s * s.s }
func (c *Ci) Area() float64 { return c.r * c.r * 3 }
func Total(ss ...Shape) (t float64) {
	for _, s := range ss {
		t += s.Area()
	}
	return
}
func UseShapes() float64 { return Total(Sq{2}, &Ci{3}) }

func NewSq(s float64) Shape {
	if s < 0 {
		return nil
	}
	return Sq{s}
}
func UseNew() float64 { return NewSq(3).Area() }

type Buf struct{ b [64]byte }

func (b *Buf) Bytes() []byte { return b.b[:] }
func UseBuf() int {
	var b Buf
	x := b.Bytes()
	for i := range x {
		x[i] = byte(i)
	}
	return int(x[3])
}
func Walk(n int, f func(int) error) error {
	for i := range n {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}
func UseWalk() (t int) {
	_ = Walk(4, func(i int) error { t += i; return nil })
	return
}
func Locked(f func()) {
	defer func() { _ = recover() }()
	f()
}
func UseLocked() (t int) {
	Locked(func() { t++ })
	return
}
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
func two(a int) (int, error)      { return a, nil }
func UseMust() int                { return Must(two(3)) + Must(two(4)) }
func Clone(b []byte) []byte       { return append([]byte(nil), b...) }
func UseClone(b []byte) int       { return len(Clone(b)) }
func Key(a, b string) string      { return a + "/" + b }
func UseKey(m map[string]int) int { return m[Key("a", "b")] }
func Ptr[T any](x T) *T           { return &x }
func UsePtr() int                 { return *Ptr(3) + *Ptr(4) }

type Set struct{ m map[int]int }

func (s *Set) Keys() iter.Seq[int] { return maps.Keys(s.m) }
func (s *Set) Sum() (t int) {
	for k := range s.Keys() {
		t += k
	}
	return
}
func (l *List) Evens() iter.Seq[int] {
	return Filter(l.All(), func(i int) bool { return i%2 == 0 })
}
func SumEvens(l *List) (t int) {
	for k := range l.Evens() {
		t += k
	}
	return
}
func Take[T any](seq iter.Seq[T], n int) iter.Seq[T] {
	return func(yield func(T) bool) {
		if n <= 0 {
			return
		}
		i := 0
		for x := range seq {
			if !yield(x) {
				return
			}
			if i++; i >= n {
				return
			}
		}
	}
}
func UseTake(l *List) (t int) {
	for x := range Take(l.All(), 2) {
		t += x
	}
	return
}
func Enumerate[T any](seq iter.Seq[T]) iter.Seq2[int, T] {
	i := 0
	return func(yield func(int, T) bool) {
		for x := range seq {
			if !yield(i, x) {
				return
			}
			i++
		}
	}
}
func UseEnum(l *List) (t int) {
	for i, x := range Enumerate(l.All()) {
		t += x * i
	}
	return
}
func Adder(n int) func(int) int {
	f := func(x int) int { return x + n }
	return f
}
func UseAdder() int { return Adder(3)(4) }
func Compose(f, g func(int) int) func(int) int {
	return func(x int) int { return f(g(x)) }
}
func UseCompose() int { return Compose(Adder(1), Adder(2))(3) }

type Logger struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *Logger) With(f func(io.Writer) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return f(l.w)
}
func UseLog(l *Logger, s string) error {
	return l.With(func(w io.Writer) error { _, err := io.WriteString(w, s); return err })
}

var errNope = errors.New("nope")

type myErr struct{ code int }

func (e *myErr) Error() string { return "e" + strconv.Itoa(e.code) }
func check(n int) error {
	if n > 3 {
		return &myErr{n}
	}
	return nil
}
func UseCheck() bool { return check(2) == nil && check(5) != nil }
func wrap(n int) error {
	if err := check(n); err != nil {
		return fmt.Errorf("w: %w", err)
	}
	return nil
}
func UseWrap() bool { return wrap(1) == nil }

type Builder struct{ buf []byte }

func (b *Builder) Str(s string) *Builder { b.buf = append(b.buf, s...); return b }
func (b *Builder) Int(n int) *Builder    { b.buf = strconv.AppendInt(b.buf, int64(n), 10); return b }
func (b *Builder) Done() int             { n := len(b.buf); b.buf = b.buf[:0]; return n }
func NewB() *Builder                     { return &Builder{buf: make([]byte, 0, 64)} }
func UseB() int                          { return NewB().Str("a").Int(3).Str("b").Done() }

type Point struct{ X, Y float64 }

func (p Point) Add(q Point) Point { return Point{p.X + q.X, p.Y + q.Y} }
func (p *Point) Scale(f float64) *Point {
	p.X *= f
	p.Y *= f
	return p
}
func NewP(x, y float64) *Point { return &Point{x, y} }
func UseP() float64            { return NewP(1, 2).Scale(3).Add(*NewP(3, 4)).X }

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func UsePool() int {
	b := pool.Get().(*bytes.Buffer)
	defer pool.Put(b)
	b.Reset()
	b.WriteString("x")
	return b.Len()
}
func Reader(s string) io.Reader { return strings.NewReader(s) }
func UseReader() int {
	r := Reader("abc")
	var b [8]byte
	n, _ := r.Read(b[:])
	return n
}

type Visitor interface{ Visit(int) Visitor }
type cv struct{ n *int }

func (c cv) Visit(i int) Visitor { *c.n += i; return c }
func walkv(v Visitor, xs []int) {
	for _, x := range xs {
		if v = v.Visit(x); v == nil {
			return
		}
	}
}
func UseVisitor() (n int) { walkv(cv{&n}, []int{1, 2}); return }

type key struct{}

func With(ctx context.Context, v int) context.Context { return context.WithValue(ctx, key{}, v) }
func Get(ctx context.Context) int {
	if v, ok := ctx.Value(key{}).(int); ok {
		return v
	}
	return 0
}
func UseCtx() int { return Get(With(context.Background(), 3)) }
func Tern[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}
func UseTern(b bool) int { return Tern(b, 1, 2) }

type Heap[T any] struct {
	xs   []T
	less func(a, b T) bool
}

func NewHeap[T any](less func(a, b T) bool) *Heap[T] { return &Heap[T]{less: less} }
func (h *Heap[T]) Push(x T) {
	h.xs = append(h.xs, x)
	for i := len(h.xs) - 1; i > 0; {
		p := (i - 1) / 2
		if !h.less(h.xs[i], h.xs[p]) {
			break
		}
		h.xs[i], h.xs[p] = h.xs[p], h.xs[i]
		i = p
	}
}
func UseHeap() int {
	h := NewHeap(func(a, b int) bool { return a < b })
	h.Push(3)
	h.Push(1)
	return h.xs[0]
}
func SortedKeys(m map[int]int) []int { return slices.Sorted(maps.Keys(m)) }
func UseSorted(m map[int]int) int    { return SortedKeys(m)[0] }
func Fmt(a int, b string) string     { return fmt.Sprintf("%d-%s", a, b) }
func UseFmt() int                    { return len(Fmt(3, "x")) }
func Bytes(s string) []byte          { return []byte(s) }
func UseBytes(s string) int {
	n := 0
	for _, c := range Bytes(s) {
		n += int(c)
	}
	return n
}
func Grid(n int) [][]int {
	g := make([][]int, n)
	for i := range g {
		g[i] = make([]int, n)
	}
	return g
}
func UseGrid() int { return len(Grid(3)) }
func Timer() func() time.Duration {
	t := time.Now()
	return func() time.Duration { return time.Since(t) }
}
func UseTimer() bool {
	stop := Timer()
	return stop() >= 0
}
func Defer() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("p: %v", r)
		}
	}()
	return nil
}
func Retry(n int, f func() error) (err error) {
	for i := 0; i < n; i++ {
		if err = f(); err == nil {
			return
		}
	}
	return
}
func UseRetry() (n int) {
	_ = Retry(3, func() error { n++; return nil })
	return
}
func Rand(r *rand.Rand) int { return r.Intn(10) }
func UseArr() int {
	a := [...]int{3, 1, 2}
	slices.Sort(a[:])
	return a[0]
}
func Opt(fs ...func(int) int) (n int) {
	for _, f := range fs {
		n = f(n)
	}
	return
}
func UseOpt() int                           { return Opt(func(i int) int { return i + 1 }, Adder(3)) }
func Keyed(m map[[2]int]int, a, b int) int  { return m[[2]int{a, b}] }
func Lookup(m map[string]int, b []byte) int { return m[string(b)] }
func Any(xs ...any) int                     { return len(xs) }
func UseAny(i int) int                      { return Any(i, "x", 3.5) }
func Chan() int {
	c := make(chan int, 1)
	c <- 3
	return <-c
}
func Clo() int {
	x := 0
	inc := func() { x++ }
	inc()
	inc()
	return x
}
func (l *List) Each(f func(int)) {
	for ; l != nil; l = l.next {
		f(l.v)
	}
}
func UseEach(l *List) (t int) { l.Each(func(x int) { t += x }); return }
func (l *List) Rec(f func(int)) {
	if l != nil {
		f(l.v)
		l.next.Rec(f)
	}
}
func UseRec(l *List) (t int) { l.Rec(func(x int) { t += x }); return }

// What follows has a loop and returns something of its own, which is its caller's where it is inlined.

type account struct{ n, steps int }

func (a account) Area() float64 { return float64(a.n) }
func (a account) Error() string { return "account" }
func (a *account) get() int     { return a.n }

type unknown string

func (u unknown) Error() string { return "unknown " + string(u) }

type boxed struct{ v any }

func Settled(n int) *account {
	a := account{n: 1}
	for i := range n {
		a.n += i
	}
	return &a
}
func Squares(n int) []int {
	var a [4]int
	for i := range n {
		a[i&3] = i * i
	}
	return a[:]
}
func Summed(n int) any {
	for i := range n {
		n += i + 1000
	}
	return n
}
func Check3(n int) error {
	for i := range n {
		n += i
	}
	if n > 0 {
		return account{n, n}
	}
	return nil
}
func Named(name string) error {
	for _, c := range name {
		if c == 'c' {
			return unknown(name)
		}
	}
	return nil
}
func Area(n int) interface{ Area() float64 } {
	a := account{n: n}
	for i := range n {
		a.n += i
	}
	return a
}
func Pair(n int) (int, any) {
	for i := range n {
		n += i
	}
	return n, account{n, n}
}
func Boxed(n int) struct{ v any } {
	for i := range n {
		n += i + 1000
	}
	return struct{ v any }{n}
}
func BoxedIn(n int) (b boxed) {
	for i := range n {
		n += i + 1000
	}
	b.v = n
	return b
}
func Bound(a *account, n int) func() int {
	for i := range n {
		a.n += i
	}
	return a.get
}

// A Chain is made for the types of other packages.
type Chain[T any] struct {
	v    T
	next *Chain[T]
}

func (c *Chain[T]) Push(v T) *Chain[T] { return &Chain[T]{v, c} }

func (c *Chain[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for ; c != nil; c = c.next {
			if !yield(c.v) {
				return
			}
		}
	}
}
