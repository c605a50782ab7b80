package main

// static int twice(int n) { return 2 * n; }
import "C"

func twice(n int) int { return int(C.twice(C.int(n))) }
