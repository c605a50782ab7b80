// This program prints when main began, in Unix time, and, with an argument, the times in ns of some
// work in packages of the standard library: the quickest of so many repetitions.
package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

func main() {
	fmt.Println(time.Now().UnixNano())
	if len(os.Args) < 2 {
		return
	}
	repetitions, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	numbers := make([]int, 10_000)
	var text bytes.Buffer
	for i := range numbers {
		numbers[i] = i * 7919 % 10_007
		fmt.Fprintf(&text, "line %d of %s\n", numbers[i], strings.Repeat("text ", i%5))
	}
	pattern := regexp.MustCompile(`line (\d+)7 of (text )+`)
	for _, work := range []struct {
		name string
		run  func() error
	}{
		{"sort", func() error { sort.Sort(sort.IntSlice(append([]int(nil), numbers...))); return nil }},
		{"json", func() error { _, err := json.Marshal(numbers); return err }},
		{"regexp", func() error { pattern.FindAllIndex(text.Bytes(), -1); return nil }},
		{"flate", func() error {
			w, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
			if err == nil {
				_, err = w.Write(text.Bytes())
			}
			return err
		}},
	} {
		best := time.Duration(1 << 62)
		for range repetitions {
			begin := time.Now()
			if err := work.run(); err != nil {
				panic(err)
			}
			best = min(best, time.Since(begin))
		}
		fmt.Println(work.name, best.Nanoseconds())
	}
}
