//go:build cgo

package heap

/*
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

static void *room;

static void release(void) {
#ifdef __GLIBC__
	if (!room) return;
	free(room);
	room = NULL;
	malloc_trim(0);
#endif
}

static void reserve(void) {
#ifdef __GLIBC__
	if (!room) room = malloc((size_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4); // of the machine's memory
#endif
}
*/
import "C"

// Reserve keeps a part of the heap free of what the compiler allocates, for steps. It is to be called before XLA
// compiles a program. The compiler leaves small blocks all over the heap, between which no step's memory fits.
func Reserve() { C.reserve() }

// Release is to be called when the program is compiled. It ends Reserve and returns the compiler's memory to the
// system.
func Release() { C.release() }
