//go:build cgo

package keep

/*
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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
*/
import "C"
