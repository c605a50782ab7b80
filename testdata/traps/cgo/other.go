package main

/*
#include <math.h>
#cgo LDFLAGS: -lm
static double root(double x) { return sqrt(x); }
*/
import "C"

func other(n int) float64 {
	if n == 0 {
		return float64(C.root(16))
	}
	return float64(C.root(C.double(n)))
}
