package shape

import (
	"fmt"
	"math"
	"slices"

	"github.com/markgen/markgen/profile"
	"github.com/markgen/markgen/runtime/layout"
	"github.com/markgen/markgen/units"
)

// Growth describes how a marker's time depends on the size of its input.
type Growth struct {
	// Verdict is Yes if time grows with size and the order is known, No if it is the same for all
	// sizes, and Undecided otherwise.
	Verdict Verdict `json:"verdict"`

	// Order is one of Orders, or "" if the data do not decide for one. Then Or lists the
	// candidates, most likely first, if there are any.
	Order string      `json:"order,omitempty"`
	Or    []Candidate `json:"or,omitempty"`

	// Exponent is c of the best fit y = a + b·x^c, with its 95 % confidence interval; 0 if the data
	// are too few.
	Exponent   float64 `json:"exponent,omitempty"`
	ExponentLo float64 `json:"exponent_lo,omitempty"`
	ExponentHi float64 `json:"exponent_hi,omitempty"`

	// ConstNS and PerNS are the coefficients of the most likely order: time = ConstNS + PerNS·f(n),
	// with f the function in Order (log is log2). PerLoNS and PerHiNS are the 95 % confidence
	// interval of PerNS.
	ConstNS float64 `json:"const_ns"`
	PerNS   float64 `json:"per_ns"`
	PerLoNS float64 `json:"per_lo_ns"`
	PerHiNS float64 `json:"per_hi_ns"`

	// Spread is the relative deviation of the mean times from that formula, beyond sampling error.
	Spread float64 `json:"spread"`

	// RatioLo and RatioHi are the 95 % confidence interval of the time at the largest size divided
	// by the time at the smallest.
	RatioLo float64 `json:"ratio_lo,omitempty"`
	RatioHi float64 `json:"ratio_hi,omitempty"`

	// FromN is the mean size from which the formula applies, if it does not fit smaller inputs;
	// else 0.
	FromN float64 `json:"from_n,omitempty"`

	Calls    uint64  `json:"calls"`          // calls with a size above 0
	Points   int     `json:"points"`         // number of size buckets; their sizes differ by factors of two
	MinN     float64 `json:"least_n"`        // mean size in the smallest bucket
	MaxN     float64 `json:"most_n"`         // mean size in the largest bucket
	Evidence string  `json:"evidence"`       // in words, for people
	Need     string  `json:"need,omitempty"` // data that would decide it, in words; "" if decided
}

// A Candidate is an order that the data do not exclude.
type Candidate struct {
	Order string `json:"order"`

	// Weight is the probability of this order among all orders, from 0 to 1 (Akaike weight).
	Weight float64 `json:"weight"`
}

// Orders returns the names of the orders of growth that are distinguished, flattest first.
func Orders() (names []string) {
	for _, c := range curves {
		names = append(names, order(c.name))
	}
	return names
}

func order(name string) string { return "O(" + name + ")" }

const (
	// minPoints and minRange (largest size divided by smallest) are the minimum for
	// distinguishing orders: each fit has three unknowns.
	minPoints = 5
	minRange  = 16

	// farBehind is the difference in AICc from the best order at which an order is excluded: 20 to
	// 1 against it. (Burnham and Anderson, 2.6: up to 2 there is substantial support, from 4 to 7
	// considerably less.)
	farBehind = 6

	// sameRatio is the largest change over all sizes that counts as constant: caches and the
	// mixture of calls cause such differences with any input.
	sameRatio = 1.35

	// sameSteps is like sameRatio for short times: the largest change that counts as constant, as
	// a multiple of the clock error.
	sameSteps = 4

	// minRatio is the smallest change that counts as constant: large inputs may take less time,
	// but half the time has another cause.
	minRatio = 0.5

	// badSpread is the spread above which no formula is accepted.
	badSpread = 0.35

	// goodSpread is the largest spread accepted for a formula that fits large inputs only.
	goodSpread = 0.15

	// doubtNS is the error of short times, in ns: see docs/reference/report.md.
	doubtNS = 3
)

// growth classifies a marker by the sizes of its inputs. It returns nil if no call has a size.
func growth(m *profile.Marker, o Options) *Growth {
	if len(m.Sizes) == 0 {
		return nil
	}
	g := &Growth{Verdict: Undecided}
	points := g.points(m)
	if g.Need = g.missing(); g.Need != "" {
		g.Evidence = fmt.Sprintf("%s of %s", units.Plural(g.Calls, "call"), g.sizes())
		return g
	}
	// The error of a time is within a quantum, so its standard deviation is at most that of a
	// uniform distribution; the mean of several times is no worse.
	floor := max(doubtNS, o.QuantumNS/math.Sqrt(12))
	all := *g
	fits := all.decide(points, floor)
	// Small inputs may be handled by a different algorithm. If no formula fits all sizes, one may
	// fit the large ones.
	for rest := points[1:]; !fits && enoughLeft(rest); rest = rest[1:] {
		part := *g
		part.FromN, part.MinN, part.Points = rest[0].x, rest[0].x, len(rest)
		if part.decide(rest, floor) && part.Order != "" && part.Spread <= goodSpread {
			return &part
		}
	}
	return &all
}

// enoughLeft reports whether there are enough sizes to fit these alone.
func enoughLeft(points []point) bool {
	return len(points) >= minPoints+2 && points[len(points)-1].x >= minRange*minRange*points[0].x
}

// points returns one point per size bucket, with typical times if known, else means. It omits empty
// inputs, which often return at once.
func (g *Growth) points(m *profile.Marker) (points []point) {
	part, calls := measuredFraction(m), 0.0
	for i := range m.Sizes {
		b := &m.Sizes[i]
		if b.K == 0 || b.SumNS == 0 {
			continue
		}
		n := part * float64(b.Count)
		p := point{x: min(max(b.MeanSize(), float64(b.LoSize())), float64(b.HiSize())), y: b.MeanNS(), se: b.MeanNS()}
		if n >= 2 {
			p.se = b.StddevNS() / math.Sqrt(n-1)
		}
		if ns, se, ok := b.TypicalNS(); ok && b.Logged == b.Count {
			p.y, p.se = max(ns, 1), min(se/math.Sqrt(part), max(ns, 1))
			if n < 1.5 { // a single call, however many it stands for
				p.se = p.y
			}
		}
		if n < fewCalls { // the scatter itself is uncertain
			p.se = max(p.se, p.y/(2*math.Sqrt(n)))
		}
		points = append(points, p)
		calls += n
	}
	g.Calls = uint64(math.Round(calls))
	if g.Points = len(points); g.Points > 0 {
		g.MinN, g.MaxN = points[0].x, points[len(points)-1].x
	}
	return points
}

// fewCalls is the number of calls below which the scatter of a size's times is uncertain.
const fewCalls = 10

// missing returns what is missing for a decision, or "".
func (g *Growth) missing() string {
	switch {
	case g.Points == 0:
		return "inputs that are not empty"
	case g.MaxN < minRange*g.MinN:
		return fmt.Sprintf("inputs of sizes from %s or less to %s or more, which is a factor of %d; there is one of %s", number(g.MaxN/minRange), number(g.MinN*minRange), minRange, number(g.MaxN/g.MinN))
	case g.Points < minPoints:
		return fmt.Sprintf("%d sizes, each twice as large as the one before; there are %d", minPoints, g.Points)
	}
	return ""
}

// decide finds the order that the points support. It returns false if no formula fits.
func (g *Growth) decide(points []point, floor float64) (fits bool) {
	n := len(points)
	e, se := slope(points, floor)
	t, octaves := student(float64(n-2)), math.Log(g.MaxN/g.MinN)
	g.RatioLo, g.RatioHi = math.Exp((e-t*se)*octaves), min(math.Exp((e+t*se)*octaves), math.MaxFloat64)

	fitted := make([]fit, len(curves))
	for i, c := range curves {
		fitted[i] = fitCurve(points, c, floor)
	}
	free, c, lo, hi := fitPower(points, floor)
	g.Exponent, g.ExponentLo, g.ExponentHi = c, lo, hi
	slices.SortStableFunc(fitted, func(a, b fit) int {
		if a.aicc(n) < b.aicc(n) {
			return -1
		}
		return 1
	})
	best := &fitted[0]
	if math.IsNaN(best.aicc(n)) { // the quantum is too large for float64 arithmetic
		g.Evidence, g.Need = "the times differ by less than the clock's resolution", "a finer clock"
		return false
	}
	sum := 0.0
	for i := range fitted {
		sum += math.Exp((best.aicc(n) - fitted[i].aicc(n)) / 2)
	}
	var left []Candidate
	for i := range fitted {
		if behind := fitted[i].aicc(n) - best.aicc(n); behind < farBehind {
			left = append(left, Candidate{order(fitted[i].name), math.Exp(-behind/2) / sum})
		}
	}
	switch {
	case (g.RatioHi < sameRatio || (g.RatioHi-1)*(points[0].y+layout.SizeLogAdd) < sameSteps*floor) && g.RatioLo > minRatio:
		g.setFit(&fitted[slices.IndexFunc(fitted, func(f fit) bool { return f.name == curves[0].name })], n)
		g.Verdict, g.Order, g.Exponent, g.ExponentLo, g.ExponentHi = No, order(curves[0].name), e, e-t*se, e+t*se
		g.Evidence = fmt.Sprintf("the same for all sizes, %s ± %s; from %s, %s", duration(g.ConstNS), percent(g.Spread), g.sizes(), units.Plural(g.Calls, "call"))
		return true
	case free.aicc(n) < best.aicc(n)-farBehind && free.spread < badSpread:
		g.setFit(&free, n)
		g.Evidence = fmt.Sprintf("%s, and none of %s fits; from %s, %s", g.exponent(), joined(Orders()), g.sizes(), units.Plural(g.Calls, "call"))
		g.Need = "nothing: it grows in another way, or in several for different sizes"
		return false
	case best.spread > badSpread:
		g.setFit(best, n)
		g.Or = left
		g.Evidence = fmt.Sprintf("the times depart from every formula by %s or more, %s; from %s, %s", percent(best.spread), g.exponent(), g.sizes(), units.Plural(g.Calls, "call"))
		g.Need = "a size= that measures the work, or fewer kinds of calls"
		return false
	}
	g.setFit(best, n)
	if len(left) > 1 {
		g.Or = left
		var names []string
		for _, c := range left {
			names = append(names, fmt.Sprintf("%s (%s)", c.Order, percent(c.Weight)))
		}
		g.Evidence = fmt.Sprintf("not decided between %s; %s; from %s, %s", joined(names), g.exponent(), g.sizes(), units.Plural(g.Calls, "call"))
		g.Need = g.more(points)
		return true
	}
	if best.name == curves[0].name { // and the growth has no upper bound
		g.Evidence = fmt.Sprintf("no growth is seen, but it may be by up to a factor of %s; from %s, %s", number(g.RatioHi), g.sizes(), units.Plural(g.Calls, "call"))
		g.Need = g.more(points)
		return true
	}
	// It is by far the most likely order. The exponent tells whether another one lies nearer.
	if other := g.besides(best, fitted, points, floor); other != "" {
		g.Or = []Candidate{{order(best.name), left[0].Weight}, {order(other), 1 - left[0].Weight}}
		g.Evidence = fmt.Sprintf("between %s and %s: %s, which is that of neither; from %s, %s", order(best.name), order(other), g.exponent(), g.sizes(), units.Plural(g.Calls, "call"))
		g.Need = g.more(points)
		return true
	}
	g.Verdict, g.Order = Yes, order(best.name)
	g.Evidence = fmt.Sprintf("%s, %s ± %s; %s; from %s, %s", g.Order, g.formula(best.name), percent(g.Spread), g.exponent(), g.sizes(), units.Plural(g.Calls, "call"))
	return true
}

// besides returns "" if the exponent agrees with the fitted order. Otherwise it returns the
// neighbouring order on the side of the exponent, unless the exponent is much nearer to the fitted
// order.
func (g *Growth) besides(best *fit, fitted []fit, points []point, floor float64) string {
	own := exponentOf(best, points, floor)
	at := slices.IndexFunc(curves, func(c curve) bool { return c.name == best.name })
	switch {
	case own > g.ExponentHi:
		at--
	case own < g.ExponentLo && at+1 < len(curves):
		at++
	default:
		return ""
	}
	i := slices.IndexFunc(fitted, func(f fit) bool { return f.name == curves[at].name })
	other := 0.0
	if at > 0 {
		other = exponentOf(&fitted[i], points, floor)
	}
	if nearer*math.Abs(g.Exponent-own) < math.Abs(g.Exponent-other) {
		return ""
	}
	return curves[at].name
}

// nearer is the factor by which an exponent must be nearer to one order than to another.
const nearer = 3

// exponentOf returns the exponent that fitPower finds for times that follow f exactly.
func exponentOf(f *fit, points []point, floor float64) float64 {
	own := slices.Clone(points)
	for i := range own {
		own[i].y = f.at(own[i].x)
	}
	_, c, _, _ := fitPower(own, floor)
	return c
}

// setFit copies the coefficients of a fit.
func (g *Growth) setFit(f *fit, points int) {
	t := student(float64(points - 2))
	g.ConstNS, g.PerNS, g.Spread = f.a, f.b, f.spread
	g.PerLoNS, g.PerHiNS = max(0, f.b-t*f.bSE), f.b+t*f.bSE
}

// more returns which additional data would decide.
func (g *Growth) more(points []point) string {
	var noisy []string
	for _, p := range points {
		if p.se > 2*minSpread*p.y {
			noisy = append(noisy, number(p.x))
		}
	}
	if 2*len(noisy) > len(points) {
		return "more calls of each size: the means are uncertain"
	}
	need := fmt.Sprintf("inputs of sizes beyond %s, or below %s", number(g.MaxN), number(g.MinN))
	if len(noisy) > 0 {
		need += "; more calls with sizes of about " + joined(noisy)
	}
	return need
}

// formula returns the time as a function of size, in words.
func (g *Growth) formula(name string) string {
	text := fmt.Sprintf("%s · %s", duration(g.PerNS), name)
	if g.ConstNS >= 1 {
		text = duration(g.ConstNS) + " + " + text
	}
	return text
}

func (g *Growth) exponent() string {
	return fmt.Sprintf("exponent %.2f (%.2f to %.2f)", g.Exponent, g.ExponentLo, g.ExponentHi)
}

func (g *Growth) sizes() string {
	switch g.Points {
	case 0:
		return "no size but 0"
	case 1:
		return fmt.Sprintf("sizes of about %s", number(g.MaxN))
	}
	text := fmt.Sprintf("%d sizes from %s to %s", g.Points, number(g.MinN), number(g.MaxN))
	if g.FromN > 0 {
		text += ", smaller ones left out"
	}
	return text
}
