// Command leave ends after some µs, while goroutines leave scopes open.
package main

import (
	"os"
	"strconv"
	"time"

	"example.com/leave/lib"
)

func main() {
	us, _ := strconv.Atoi(os.Args[1])
	for range 2 {
		go func() {
			for ended := make(chan bool); ; <-ended {
				go func() {
					defer func() { ended <- true }()
					for i := range 20 {
						lib.Caught(100 * i)
					}
					lib.Gone(3000)
				}()
			}
		}()
	}
	for begun := time.Now(); time.Since(begun) < time.Duration(us)*time.Microsecond; {
	}
}
