package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash/crc32"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A kernel is a kind of work. do executes a number of units, each of which takes about ns.
type kernel struct {
	name string
	ns   float64
	do   func(units int)
}

var kernels = []kernel{
	{"fnv", 15, hashText},
	{"crc32", 18, checksum},
	{"sha256", 66, digest},
	{"sort", 48, sortSome},
	{"search", 8, search},
	{"mapget", 11, lookUp},
	{"mapput", 63, fillMap},
	{"alloc", 16, allocate},
	{"grow", 9.5, grow},
	{"list", 4.6, followList},
	{"stride", 0.6, stride},
	{"float", 27, floats},
	{"format", 18, formatNumbers},
	{"concat", 26, concatenate},
	{"split", 20, splitLine},
	{"utf8", 46, decode},
	{"json", 165, encode},
	{"regexp", 115, match},
	{"mutex", 10, lock},
	{"channel", 31, pass},
}

var (
	text   = bytes.Repeat([]byte("GET /shop/item?id=4711 HTTP/1.1 200 5120 – "), 24)
	line   = "2026-03-01 12:00:00 GET /shop/item?id=4711 200"
	sink   uint64
	kept   [256][]byte
	at     int
	sorted = func() (list []int) {
		for i := range 4096 {
			list = append(list, i*7)
		}
		return list
	}()
	table = func() map[string]int {
		m := map[string]int{}
		for i := range 1000 {
			m[keyOf(i)] = i
		}
		return m
	}()
	keys = func() (list []string) {
		for i := range 1000 {
			list = append(list, keyOf(i*617%1000))
		}
		return list
	}()
	first   = linked(4096)
	large   = make([]uint64, 1<<17)
	pattern = regexp.MustCompile(`item\?id=([0-9]+)`)
	mutex   sync.Mutex
	queue   = make(chan int, 1)

	// live is a heap of typical size: without it, the garbage collector would run every few ms. It
	// has no pointers and is never accessed.
	live = make([]byte, 32<<20)
)

func keyOf(i int) string { return "key-" + strconv.Itoa(i*7919) }

func hashText(units int) {
	h := fnv.New64a()
	for i := range units {
		h.Write(text[i&63 : i&63+16])
	}
	sink += h.Sum64()
}

func checksum(units int) {
	sum := uint32(0)
	for i := range units {
		sum = crc32.Update(sum, crc32.IEEETable, text[i&63:i&63+64])
	}
	sink += uint64(sum)
}

func digest(units int) {
	for i := range units {
		sum := sha256.Sum256(text[i&63 : i&63+48])
		sink += uint64(sum[0])
	}
}

func sortSome(units int) {
	var some [16]uint32
	for i := range units {
		for k := range some {
			some[k] = uint32(i*len(some)+k) * 2654435761 >> 20 // in random order
		}
		slices.Sort(some[:])
		sink += uint64(some[3])
	}
}

func search(units int) {
	for i := range units {
		k, _ := slices.BinarySearch(sorted, i*1237%28000)
		sink += uint64(k)
	}
}

func lookUp(units int) {
	for i := range units {
		sink += uint64(table[keys[i%len(keys)]])
	}
}

func fillMap(units int) {
	for range units {
		m := map[int]int{}
		for k := range 6 {
			m[k*31] = k
		}
		sink += uint64(len(m))
	}
}

func allocate(units int) {
	for range units {
		kept[at&255] = make([]byte, 64)
		at++
	}
}

func grow(units int) {
	var list []int
	for i := range units {
		if i&7 == 0 {
			list = nil
		}
		list = append(list, i)
	}
	sink += uint64(len(list))
}

// A node is an element of a linked list whose neighbours are far apart in memory.
type node struct {
	next  *node
	value uint64
	_     [6]uint64
}

func linked(n int) *node {
	nodes := make([]node, n)
	for i := range nodes {
		nodes[i*1025%n].next = &nodes[(i+1)*1025%n]
		nodes[i].value = uint64(i)
	}
	return &nodes[0]
}

func followList(units int) {
	for range units {
		sink += first.value
		first = first.next
	}
}

func stride(units int) {
	for i := range units {
		large[i*4099&(len(large)-1)]++
	}
}

func floats(units int) {
	x := 1.0
	for range units {
		x = math.Sqrt(x*x+1) + math.Exp(-x)
	}
	sink += uint64(x)
}

func formatNumbers(units int) {
	var b [24]byte
	for i := range units {
		n, _ := strconv.Atoi(string(strconv.AppendInt(b[:0], int64(i)*7919, 10)))
		sink += uint64(n)
	}
}

func concatenate(units int) {
	for i := range units {
		sink += uint64(len(keys[i%len(keys)] + "/" + line))
	}
}

func splitLine(units int) {
	for range units {
		n := 0
		for field := range strings.SplitSeq(line, " ") {
			n += len(field)
		}
		sink += uint64(n)
	}
}

func decode(units int) {
	for i := range units {
		sink += uint64(utf8.RuneCount(text[i&7 : i&7+86]))
	}
}

func encode(units int) {
	record := struct {
		Name   string
		Number int
		Tags   []string
	}{"item", 4711, []string{"new", "small"}}
	for range units {
		out, err := json.Marshal(record)
		if err != nil {
			panic(err)
		}
		sink += uint64(len(out))
	}
}

func match(units int) {
	for range units {
		sink += uint64(pattern.FindStringIndex(line)[0])
	}
}

func lock(units int) {
	for range units {
		mutex.Lock()
		sink++
		mutex.Unlock()
	}
}

func pass(units int) {
	for i := range units {
		queue <- i
		sink += uint64(<-queue)
	}
}
