package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/markgen/markgen/profile"
)

// Ten runs per side: the cost of adding each, and of the result.
func BenchmarkCompare(b *testing.B) {
	for _, markers := range []int{500, 20_000} {
		p := typical
		p.markers, p.scopes = markers, 200
		r := rand.New(rand.NewPCG(1, 1))
		var runs []*profile.Profile
		for i := range 20 {
			runs = append(runs, p.run(r, Label(i%2), i))
		}
		compare := func() *Comparison {
			c, err := NewComparison(Options{})
			if err != nil {
				b.Fatal(err)
			}
			for i, run := range runs {
				if err := c.Add(Label(i%2), run); err != nil {
					b.Fatal(err)
				}
			}
			return c
		}
		b.Run(fmt.Sprintf("add/%d", markers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				compare()
			}
		})
		c := compare()
		b.Run(fmt.Sprintf("result/%d", markers), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Result()
			}
		})
	}
}
