package m

import "fmt"

func one(n int) int { return n + len(fmt.Sprint(n)) }
