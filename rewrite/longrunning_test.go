package rewrite

import "testing"

// Scopes in a loop that may run as long as the program are tested one by one: the function is open.
func TestLongRunning(t *testing.T) {
	const rest = "\n\nfunc g(n int) bool"
	for name, tt := range map[string]struct {
		src  string
		form form
	}{
		"a loop that ends":       {"func f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tg(i)\n\t}\n}", formTwin},
		"the function is marked": {"//perf:mark long\nfunc f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tg(i)\n\t}\n}", formOpen},
		"the loop is marked":     {"func f(n int) {\n\t//perf:mark long\n\tfor i := 0; i < n; i++ {\n\t\tg(i)\n\t}\n}", formOpen},
		"another loop is marked": {"func f(n int) {\n\t//perf:mark\n\tfor i := 0; i < n; i++ {\n\t\tg(i)\n\t}\n}", formTwin},
		"it sends":               {"func f(c chan int) {\n\tfor i := 0; i < 9; i++ {\n\t\tc <- i\n\t}\n}", formOpen},
		"it is started":          {"func f(n int) {\n\tfor i := 0; i < n; i++ {\n\t\tg(i)\n\t}\n}\n\nfunc h() { go f(1) }", formOpen},
		"it has no way out":      {"func f(n int) {\n\tfor {\n\t\tg(n)\n\t}\n}", formOpen},
		"it may return":          {"func f(n int) {\n\tfor {\n\t\tif g(n) {\n\t\t\treturn\n\t\t}\n\t}\n}", formTwin},
	} {
		if fn := found(t, tt.src+rest).files[0].functions[0]; fn.form != tt.form {
			t.Errorf("%s: it is %v (%s), want %v", name, fn.form, fn.why, tt.form)
		}
	}
}
