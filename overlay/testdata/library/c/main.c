// Threads of C, which Go has not made, call the library.
#include "library.h"
#include <pthread.h>
#include <stdio.h>

static void *steps(void *unused) {
	long sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += Step(10);
	return (void *)sum;
}

int main(void) {
	long sum = 0;
	for (int round = 0; round < 3; round++) {
		pthread_t threads[16];
		void *of;
		for (int i = 0; i < 16; i++)
			pthread_create(&threads[i], 0, steps, 0);
		for (int i = 0; i < 16; i++) {
			pthread_join(threads[i], &of);
			sum += (long)of;
		}
	}
	printf("%ld\n", sum);
	return 0;
}
