// Command deepcgo allocates in functions that C calls, on threads of Go's and on its own,
// and prints what is certain of that.
package main

/*
#include <pthread.h>

extern void called(int n);

static void *thread(void *n) { called(*(int *)n); called(*(int *)n); return 0; }

static int call(int n) {
	pthread_t t;
	called(n);
	if (pthread_create(&t, 0, thread, &n)) return 1;
	return pthread_join(t, 0);
}
*/
import "C"
import "fmt"

var bytes []byte

//perf:mark
func small() { bytes = make([]byte, 100) }

//export called
//perf:mark
func called(n C.int) {
	for range n {
		small()
	}
}

//perf:mark
func calling() {
	small()
	if C.call(10) != 0 {
		panic("no thread")
	}
	small()
}

func main() {
	for range 100 {
		calling()
	}
	fmt.Println("small", 100*32*112, 100*32)
	fmt.Println("called", 100*30*112, 100*30)
	fmt.Println("calling", 100*12*112, 100*12)
}
