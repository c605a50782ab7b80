// Command routes is a web server with three routes that share handlers, and its client. The first
// argument is the number of rounds, the others are the routes that each round requests once. It prints
// for each route how many requests were made, and how many units of work these took.
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
)

var sum atomic.Uint64

// unit is a unit of work.
func unit() {
	n := uint64(1)
	for i := range uint64(100_000) {
		n = n*31 + i
	}
	sum.Add(n)
}

func price(items int) {
	for range items {
		unit()
	}
}

func stock() {
	unit()
	price(1)
}

func page() {
	for range 3 {
		unit()
	}
}

// cart takes 9 units.
func cart(http.ResponseWriter, *http.Request) {
	price(6)
	page()
}

// item takes 7 units.
func item(http.ResponseWriter, *http.Request) {
	stock()
	stock()
	page()
}

// search takes 20 units.
func search(http.ResponseWriter, *http.Request) {
	price(13)
	stock()
	stock()
	page()
}

var units = map[string]int{"/cart": 9, "/item": 7, "/search": 20}

type shop struct{ mux http.ServeMux }

//perf:mark label=r.URL.Path
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func main() {
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	s := &shop{}
	s.mux.HandleFunc("/cart", cart)
	s.mux.HandleFunc("/item", item)
	s.mux.HandleFunc("/search", search)
	server := httptest.NewServer(s)
	defer server.Close()
	for range rounds {
		for _, route := range os.Args[2:] {
			response, err := server.Client().Get(server.URL + route)
			if err != nil {
				panic(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}
	for _, route := range os.Args[2:] {
		fmt.Println(route, rounds, rounds*units[route])
	}
}
