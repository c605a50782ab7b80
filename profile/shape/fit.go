package shape

import (
	"math"

	"github.com/markgen/markgen/runtime/layout"
)

// A point summarizes the calls whose inputs have about the same size.
type point struct {
	x  float64 // mean size
	y  float64 // typical time, ns
	se float64 // standard error of y from the scatter of the times, ns
}

// A curve is a model of time against input size x: y = a + b·f(x), with a and b at least 0.
type curve struct {
	name string // as in O(name)
	f    func(x float64) float64
}

// curves are the orders of growth that are distinguished, flattest first. The first is constant.
var curves = []curve{
	{"1", func(float64) float64 { return 0 }},
	{"log n", func(x float64) float64 { return math.Log2(max(x, 1)) }},
	{"n", func(x float64) float64 { return x }},
	{"n log n", func(x float64) float64 { return x * math.Log2(max(x, 1)) }},
	{"n²", func(x float64) float64 { return x * x }},
}

// power returns the curve y = a + b·x^c.
func power(c float64) curve {
	return curve{"", func(x float64) float64 { return math.Pow(x, c) }}
}

// A fit is a curve fitted to points.
//
// The error of a point is modelled as normal with variance se² + floor² + (spread·y)²: the scatter
// of its times, the resolution of the clock, and the relative deviation of real programs from any
// formula, which comes from caches, allocation and the mixture of sizes in a bucket. The spread is
// unknown, the same for all sizes, and estimated together with a and b by maximum likelihood.
// Without it, a million calls would refute every model over a deviation of one percent (a random
// effect; DerSimonian and Laird, Meta-analysis in clinical trials, Controlled Clinical Trials 7,
// 1986).
type fit struct {
	curve
	a, b   float64 // ns, ns per unit of f
	bSE    float64 // standard error of b
	spread float64
	minus2 float64 // -2 times the log likelihood
	params int     // number of fitted parameters: a, b, spread, the exponent
}

const (
	// minSpread is the lower bound of spread. The sizes in a bucket differ, and n² of their mean
	// is up to an eighth less than the mean of n²; that bias is much the same in all buckets.
	minSpread = 0.05
	maxSpread = 2

	rounds = 20
)

// fitCurve fits c to points. floor is the error of a time due to the clock, in ns.
func fitCurve(points []point, c curve, floor float64) fit {
	best := fit{minus2: math.Inf(1)}
	f := make([]float64, len(points))
	for i, p := range points {
		f[i] = c.f(p.x)
	}
	try := func(logSpread float64) float64 {
		g := fitSpread(points, c, f, floor, math.Exp(logSpread))
		if g.minus2 < best.minus2 {
			best = g
		}
		return g.minus2
	}
	minimize(try, math.Log(minSpread), math.Log(maxSpread))
	return best
}

// fitSpread fits a curve with a given spread. f[i] is the value of the curve at points[i].
func fitSpread(points []point, c curve, f []float64, floor, spread float64) fit {
	g := fit{curve: c, spread: spread, params: 2}
	grows := f[0] != f[len(f)-1]
	if grows {
		g.params = 3
	}
	// The variances depend on the curve and the curve on the variances: iterate.
	mu := make([]float64, len(points))
	for i, p := range points {
		mu[i] = p.y
	}
	variance := func(i int) float64 {
		return points[i].se*points[i].se + floor*floor + spread*mu[i]*spread*mu[i]
	}
	for range rounds {
		var w, wx, wy, wxx, wxy float64
		for i, p := range points {
			v, x := 1/variance(i), f[i]
			w, wx, wy, wxx, wxy = w+v, wx+v*x, wy+v*p.y, wxx+v*x*x, wxy+v*x*p.y
		}
		g.a, g.b, g.bSE = wy/w, 0, 0
		if det := w*wxx - wx*wx; grows && det > 0 {
			g.b, g.bSE = (w*wxy-wx*wy)/det, math.Sqrt(w/det)
			if g.a = (wy - g.b*wx) / w; g.a < 0 { // times are not negative
				g.a, g.b, g.bSE = 0, wxy/wxx, math.Sqrt(1/wxx)
			}
			if g.b < 0 {
				g.a, g.b = wy/w, 0
			}
		}
		moved := 0.0
		for i := range mu {
			now := max(g.a+g.b*f[i], 1e-3)
			moved = max(moved, math.Abs(now-mu[i])/now)
			mu[i] = now
		}
		if moved < 1e-4 {
			break
		}
	}
	for i, p := range points {
		v := variance(i)
		g.minus2 += math.Log(2*math.Pi*v) + (p.y-mu[i])*(p.y-mu[i])/v
	}
	return g
}

// at returns the fitted time for size x, in ns.
func (f *fit) at(x float64) float64 { return f.a + f.b*f.f(x) }

// aicc returns Akaike's information criterion, corrected for small samples (Hurvich and Tsai,
// Regression and time series model selection in small samples, Biometrika 76, 1989): lower is
// better. exp(-difference/2) is the relative likelihood of two models (Burnham and Anderson, Model
// Selection and Multimodel Inference, 2002, 2.9).
func (f *fit) aicc(points int) float64 {
	k, n := float64(f.params), float64(points)
	if n-k-1 <= 0 {
		return math.Inf(1)
	}
	return f.minus2 + 2*k + 2*k*(k+1)/(n-k-1)
}

// fitPower returns the maximum likelihood fit of y = a + b·x^c, its exponent c, and the 95 %
// confidence interval of c by profile likelihood; for few points, with Student's distribution
// instead of the normal one.
func fitPower(points []point, floor float64) (f fit, c, lo, hi float64) {
	const least, step, steps = 0.05, 0.05, 80
	var minus2 [steps]float64
	best := 0
	for i := range minus2 {
		g := fitCurve(points, power(least+float64(i)*step), floor)
		if minus2[i] = g.minus2; minus2[i] < minus2[best] {
			best = i
		}
	}
	at := float64(best)
	if best > 0 && best < steps-1 { // interpolate the minimum of the parabola
		before, after := minus2[best-1]-minus2[best], minus2[best+1]-minus2[best]
		at += (before - after) / (before + after) / 2
	}
	c = least + at*step
	f = fitCurve(points, power(c), floor)
	f.params = 4
	n := float64(len(points))
	t := student(n - 3)
	within := f.minus2 + n*math.Log1p(t*t/max(n-3, 1))

	// where interpolates where the likelihood crosses the bound, between the last grid point inside
	// the interval and the first outside.
	where := func(in, out int) float64 {
		part := 0.5
		if rise := minus2[out] - minus2[in]; rise > 0 {
			part = min(1, max(0, (within-minus2[in])/rise))
		}
		return least + step*(float64(in)+part*float64(out-in))
	}
	lo, hi = 0, least+step*(steps-1)
	for i := best; i > 0; i-- {
		if minus2[i-1] > within {
			lo = where(i, i-1)
			break
		}
	}
	for i := best; i < steps-1; i++ {
		if minus2[i+1] > within {
			hi = where(i, i+1)
			break
		}
	}
	return f, c, min(lo, c), max(hi, c)
}

// slope returns the slope of log y against log x and its standard error. It adds SizeLogAdd ns to
// each y, so that differences below the clock's resolution do not matter.
func slope(points []point, floor float64) (e, se float64) {
	best := math.Inf(1)
	try := func(logSpread float64) float64 {
		spread := math.Exp(logSpread)
		var w, wx, wy, wxx, wxy, minus2 float64
		for _, p := range points {
			v := variance(p, floor, spread)
			x, y := math.Log(p.x), math.Log(p.y+layout.SizeLogAdd)
			w, wx, wy, wxx, wxy = w+1/v, wx+x/v, wy+y/v, wxx+x*x/v, wxy+x*y/v
		}
		b := (w*wxy - wx*wy) / (w*wxx - wx*wx)
		a := (wy - b*wx) / w
		for _, p := range points {
			v, r := variance(p, floor, spread), math.Log(p.y+layout.SizeLogAdd)-a-b*math.Log(p.x)
			minus2 += math.Log(v) + r*r/v
		}
		if minus2 < best {
			best, e, se = minus2, b, math.Sqrt(w/(w*wxx-wx*wx))
		}
		return minus2
	}
	minimize(try, math.Log(minSpread), math.Log(maxSpread))
	return e, se
}

// variance returns the variance of the logarithm of a point's time.
func variance(p point, floor, spread float64) float64 {
	y := p.y + layout.SizeLogAdd
	return (p.se*p.se+floor*floor)/(y*y) + spread*spread
}

// minimize searches for the minimum of a unimodal function by golden-section search. f records the
// best result itself.
func minimize(f func(x float64) float64, lo, hi float64) {
	const ratio = 0.6180339887498949
	f(lo)
	a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	fa, fb := f(a), f(b)
	for range 12 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - ratio*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + ratio*(hi-lo)
			fb = f(b)
		}
	}
}

// student returns the 97.5 % quantile of Student's distribution (Abramowitz and Stegun, Handbook of
// Mathematical Functions, 26.7.5), accurate to 1 % from 3 degrees of freedom.
func student(freedom float64) float64 {
	const x = 1.959964
	n := max(freedom, 1)
	return x + (x*x*x+x)/(4*n) + (5*math.Pow(x, 5)+16*x*x*x+3*x)/(96*n*n) +
		(3*math.Pow(x, 7)+19*math.Pow(x, 5)+17*x*x*x-15*x)/(384*n*n*n)
}
