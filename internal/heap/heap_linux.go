//go:build cgo

package heap

/*
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
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

#ifdef __GLIBC__
static size_t memory(void) { return (size_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE); }

// It runs before main, and so before another thread has a heap of its own.
__attribute__((constructor)) static void keep(void) {
	mallopt(M_ARENA_MAX, 1);       // one heap for all threads
	mallopt(M_MMAP_MAX, 0);        // large blocks lie there, too
	mallopt(M_TRIM_THRESHOLD, -1); // it never shrinks
	// The heap begins as addresses of half the machine's memory. Nothing uses them yet. They are to be huge pages.
	const uintptr_t huge = 2 << 20;
	char *all = malloc(memory() / 2);
	if (!all) return;
	uintptr_t from = ((uintptr_t)all + huge) & ~(huge - 1), to = ((uintptr_t)all + memory() / 2) & ~(huge - 1);
	if (from < to) madvise((void *)from, to - from, MADV_HUGEPAGE);
	free(all);
}
#endif

static void reserve(void) {
#ifdef __GLIBC__
	if (!room) room = malloc(memory() / 4);
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
