// Command linked is a user's program. It reports what glibc's malloc does in it: linked, or after opening a backend.
// With the tag heap it imports what the program ccp imports.
package main

/*
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// large_is_mapped reports whether malloc maps a large block of its own, as glibc does by default.
static int large_is_mapped(void) {
	size_t before = mallinfo2().hblks;
	void *volatile block = malloc(256 << 20);
	int mapped = mallinfo2().hblks > before;
	free(block);
	return mapped;
}

static pthread_barrier_t together;

static void *allocates(void *unused) {
	void *volatile block = malloc(1 << 10);
	pthread_barrier_wait(&together);
	free(block);
	return unused;
}

// heaps returns the number of malloc's heaps after six threads at a time have allocated; by default threads have
// their own.
static int heaps(void) {
	pthread_t threads[6];
	pthread_barrier_init(&together, NULL, 6);
	for (int i = 0; i < 6; i++) pthread_create(&threads[i], NULL, allocates, NULL);
	for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	malloc_info(0, out);
	fclose(out);
	int count = 0;
	for (char *at = text; (at = strstr(at, "<heap nr=")) != NULL; at++) count++;
	free(text);
	return count;
}
*/
import "C"

import (
	"fmt"
	"log"
	"os"

	"github.com/clusterpool/ccp/internal/backend"
	_ "github.com/clusterpool/ccp/models"
)

func main() {
	if os.Args[1] != "link" {
		if _, _, err := backend.Open(backend.Options{}); err != nil { // as a nil backend does
			log.Fatal(err)
		}
	}
	fmt.Println(C.large_is_mapped() == 1, C.heaps() >= 6)
}
