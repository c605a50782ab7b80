package calc_test

import (
	"fmt"
	"testing"

	calc "example.com/traps/traps/tests"
)

func Example() {
	for _, b := range []int{2, 0} {
		fmt.Println(calc.Div(4, b))
	}
	// Output:
	// 2 <nil>
	// 0 division by zero
}

func ExampleDiv_wrong() {
	fmt.Println(calc.Div(4, 4))
	// Output: 2 <nil>
}

func TestOutside(t *testing.T) {
	calc.SetCalls(10)
	if n, err := calc.Div(calc.Unexported(5), 5); n != 2 || err != nil {
		t.Error(n, err)
	}
}
