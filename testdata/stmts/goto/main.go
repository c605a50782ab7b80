// Command goto leaves scopes by goto and enters them again from their start.
package main

import "fmt"

// want func=1 for#1=4 if#1.then=1
func outOfLoop() (n int) {
	for {
		n++
		if n == 4 {
			goto done
		}
	}
done:
	return n
}

// want func=1 for#1=6 if#1.then=2
func backToLoop() (n int) {
	rounds := 0
again:
	for i := 0; i < 2; i++ {
		n++
	}
	if rounds < 2 {
		rounds++
		goto again
	}
	return n
}

// want func=1 for#1=2 for#2=4 switch#1.case#1=1 switch#1.case#2=3
func outOfThree() (n int) {
	for {
		for range 3 {
			switch n++; n {
			case 4:
				goto out
			default:
			}
		}
	}
out:
	return n
}

// want func=1 if#1.then=3 if#2.then=2 if#3.then=0
func inBranch() (n int) {
top:
	if n < 3 {
		if n > 0 {
			n++
			if false {
				goto end
			}
			goto top
		}
		n++
		goto top
	}
end:
	return n
}

// want func=1 for#1=3 if#1.then=3
func withinBody() (n int) {
	for range 3 {
		i := 0
	again:
		n++
		if i++; i < 2 {
			goto again
		}
	}
	return n
}

func main() {
	fmt.Println(outOfLoop(), backToLoop(), outOfThree(), inBranch(), withinBody())
}
