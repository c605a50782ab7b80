package rewrite

import "testing"

// A directive applies to the next function, even across blank lines and comments, and to no other.
func TestPragmas(t *testing.T) {
	const loop = "(n int) (s int) { for i := 0; i < n; i++ { s += i }; return s }\n"
	for src, want := range map[string]struct {
		nosplit, noinline bool
		form              form
	}{
		"func f" + loop:                                           {form: formTwin},
		"//go:nosplit\nfunc f" + loop:                             {nosplit: true, form: formCount},
		"//go:nosplit // why\nfunc f" + loop:                      {nosplit: true, form: formCount},
		"//go:nosplit\n\n// f sums.\nfunc f" + loop:               {nosplit: true, form: formCount},
		"//go:noinline\n/* and */ func f" + loop:                  {noinline: true, form: formTwin},
		"//go:noinline \nfunc f" + loop:                           {noinline: true, form: formTwin},
		"//go:linkname f g\nfunc f" + loop:                        {form: formTwin},
		"//go:norace\nfunc f" + loop:                              {form: formTwin},
		"//go:nosplit\nvar x int\n\nfunc f" + loop:                {form: formTwin},
		"// go:nosplit\nfunc f" + loop:                            {form: formTwin},
		"//go:nosplitter\nfunc f" + loop:                          {form: formTwin},
		"//go:nosplit\nfunc e() {}\n\n//go:norace\nfunc f" + loop: {form: formTwin},
	} {
		u := found(t, src)
		fn := u.files[0].functions[len(u.files[0].functions)-1]
		if fn.nosplit != want.nosplit || fn.noinline != want.noinline || fn.form != want.form {
			t.Errorf("%s: nosplit %v, noinline %v, form %v, want %+v", src, fn.nosplit, fn.noinline, fn.form, want)
		}
	}
}
