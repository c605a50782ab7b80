// Command label_for has labels on every statement that break and continue can name: nothing may come
// between such a label and its statement.
package main

import "fmt"

func loops() (n int) {
outer:
	for i := 0; i < 4; i++ {
	inner:
		for j := range 4 {
			switch {
			case j == 1:
				continue inner
			case i == 1:
				continue outer
			case i == 3:
				break outer
			case j == 3:
				break inner
			}
			n += 10*i + j
		}
	}
	return n
}

func switches(v any) string {
s:
	switch v := v.(type) {
	case int:
		for i := range v {
			if i == 2 {
				break s
			}
		}
		return "small"
	case string:
	t:
		switch {
		case len(v) > 2:
			if v[0] == 'a' {
				break t
			}
			return "long"
		}
		return "short"
	}
	return "end"
}

func selects() (n int) {
	c := make(chan int, 3)
	for i := range 3 {
		c <- i
	}
	close(c)
drain:
	for {
	one:
		select {
		case v, ok := <-c:
			if !ok {
				break drain
			}
			if v == 1 {
				break one
			}
			n += v
			continue drain
		}
		n += 100
	}
	return n
}

func labelOnBlock(n int) string {
block:
	{
		if n > 3 {
			goto done
		}
		n++
		goto block
	}
done:
	return fmt.Sprint("n=", n)
}

func blank(n int) string {
	s := ""
_:
	for i := 0; i < n; i++ {
		if i == 3 {
			s += fmt.Sprintln(i, n, n+i, n-i)
			s += fmt.Sprintln(i, n, n+i, n-i)
			s += fmt.Sprintln(i, n, n+i, n-i)
		}
	}
_:
	return s + "end"
}

func twice() (s string) {
a:
b:
	for {
		s += "."
		if len(s) == 2 {
			goto a
		}
		if len(s) < 4 {
			continue b
		}
		break b
	}
	return s
}

func sameNames() string {
	f := func() (n int) {
	outer:
		for {
			for {
				n++
				break outer
			}
		}
		return n
	}
outer:
	for {
		if f() == 1 {
			break outer
		}
	}
	return "same"
}

func main() {
	fmt.Println(blank(5))
	fmt.Println(loops())
	fmt.Println(switches(1), switches(5), switches("abc"), switches("xyz"), switches("x"), switches(nil))
	fmt.Println(selects())
	fmt.Println(labelOnBlock(0))
	fmt.Println(twice())
	fmt.Println(sameNames())
}
