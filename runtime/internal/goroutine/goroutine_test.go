package goroutine

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// made is not on the stack, which moves.
var made [size / 8]uint64

// In a structure with this goroutine's ID after the state of one that runs, the ID is found, if it is
// at one place only; elsewhere the address of the structure is.
func TestOffset(t *testing.T) {
	id, err := strconv.ParseUint(strings.Fields(string(stack()))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	g := &made
	address := uintptr(unsafe.Pointer(g))
	if at, _ := Offset(address); at != 0 {
		t.Errorf("found at %d in nothing", at)
	}
	g[5] = uint64(address)
	if at, hasState := Offset(address); at != 40 || hasState {
		t.Errorf("the address is found at %d, %t", at, hasState)
	}
	g[19], g[20] = running|scanned, id
	if at, hasState := Offset(address); at != 160 || !hasState {
		t.Errorf("the ID is found at %d, %t", at, hasState)
	}
	if g[19] = dead; !IsDead(address, 160) || Word(address, 160) != id {
		t.Error("not dead")
	}
	g[19], g[29], g[30] = running, running, id
	if at, hasState := Offset(address); at != 40 || hasState || IsDead(address, 160) {
		t.Errorf("one of two is found at %d, %t", at, hasState)
	}
}

func stack() []byte {
	b := make([]byte, 64)
	return b[:runtime.Stack(b, false)]
}
