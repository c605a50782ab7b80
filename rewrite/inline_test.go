package rewrite

import "testing"

// What looks like a call and is a conversion or a few instructions costs the inliner what they cost: the functions stay inlined.
func TestEstimateOfTiny(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		form      form
	}{
		{"a pointer to anything", "import \"unsafe\"\n\nfunc f(p *int, a, b uintptr) *int {\n\tq := unsafe.Pointer(p)\n\tr := unsafe.Add(q, a)\n\ts := unsafe.Add(r, b)\n\treturn (*int)(unsafe.Pointer(s))\n}", formCount},
		{"bits of a number", "import b \"math/bits\"\n\nfunc f(x uint64) int {\n\ty := b.Len64(x)\n\tz := b.OnesCount64(x)\n\tw := b.TrailingZeros64(x)\n\treturn y + z + w + b.LeadingZeros64(x)\n}", formCount},
		{"functions of that name in another package", "import b \"example.com/bits\"\n\nfunc f(x uint64) int {\n\ty := b.Len64(x)\n\tz := b.OnesCount64(x)\n\tw := b.TrailingZeros64(x)\n\treturn y + z + w + b.LeadingZeros64(x)\n}", formTwin},
		{"methods of a parameter of the package's name", "import \"math/bits\"\n\nconst word = bits.UintSize\n\nfunc f(bits counter, x uint64) int {\n\ty := bits.Len64(x)\n\tz := bits.OnesCount64(x)\n\tw := bits.TrailingZeros64(x)\n\treturn y + z + w + bits.LeadingZeros64(x)\n}\n\ntype counter interface {\n\tLen64(uint64) int\n\tOnesCount64(uint64) int\n\tTrailingZeros64(uint64) int\n\tLeadingZeros64(uint64) int\n}", formTwin},
		{"others of the package", "import \"math\"\n\nfunc f(x float64) float64 {\n\ty := math.Sin(x)\n\tz := math.Cos(x)\n\tw := math.Tan(x)\n\treturn y + z + w + math.Exp(x)\n}", formTwin},
	} {
		u, err := Load("example.com/p", []Source{{Name: "p.go", Text: []byte("package p\n\n" + tt.src + "\n")}})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if err := u.Find(Options{All: true, Inline: true}); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if p := u.Points[0]; p.Form != tt.form.String() {
			t.Errorf("%s: %s is %s (%s), want %s", tt.name, p.Name, p.Form, p.Why, tt.form)
		}
	}
}
