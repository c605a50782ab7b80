// Package calc is tested from inside and outside, with a TestMain.
package calc

import "errors"

// ErrZero is returned for a division by zero.
var ErrZero = errors.New("division by zero")

var calls int

// Div divides.
func Div(a, b int) (int, error) {
	calls++
	if b == 0 {
		return 0, ErrZero
	}
	return a / b, nil
}

func unexported(n int) (s int) {
	for i := range n {
		s += i
	}
	return s
}
