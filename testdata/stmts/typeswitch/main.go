// Command typeswitch passes through the cases of type switches.
package main

import "fmt"

// want func=6 switch#1.case#1=1 switch#1.case#2=2 switch#1.case#3=1 switch#1.case#4=2
func kind(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case int, uint:
		_ = v
		return "number"
	case string:
		return v
	default:
		break
	}
	return "other"
}

// want func=3 switch#1.case#1=1 switch#1.case#2=1 for#1=3 if#1.then=1
func bare(v any) (n int) {
s:
	switch x := v; x.(type) {
	case []int:
		for _, i := range v.([]int) {
			if i > 1 {
				break s
			}
			n += i
		}
	case error:
		n = -1
	}
	return n
}

func main() {
	for _, v := range []any{nil, 1, uint(2), "s", 2.5, true} {
		fmt.Println(kind(v))
	}
	fmt.Println(bare([]int{1, 1, 2, 3}), bare(fmt.Errorf("e")), bare(nil))
}
