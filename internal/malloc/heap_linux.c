#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifdef __GLIBC__

static size_t heap; // size of the reserved heap in bytes; 0 while malloc is left as it is

// reserve takes addresses for the heap, which the system may back by huge pages. It takes no memory.
static void reserve(void) {
	char *block = malloc(heap);
	if (block == NULL) return;
	uintptr_t huge = 2 << 20, from = ((uintptr_t)block + huge - 1) / huge * huge;
	madvise((void *)from, ((uintptr_t)block + heap - from) / huge * huge, MADV_HUGEPAGE);
	free(block);
}

// ccp_keep_heap makes malloc keep what it has: it maps no large block on its own, and gives nothing back. Threads
// have at most `heaps` heaps; 0 leaves glibc's limit.
void ccp_keep_heap(size_t size, int heaps) {
	if (heaps > 0) mallopt(M_ARENA_MAX, heaps);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_TOP_PAD, 64 << 20);
	heap = size;
	reserve();
}

// ccp_settle gives the pages of free blocks back to the system, and reserves the heap anew.
//
// It then leaves a hole of `room` bytes below a block of that size that stays. Both take addresses only. malloc uses
// the smallest hole that is large enough, so small blocks go into this hole. A large block that comes and goes then
// finds its place whole. Otherwise one small block in that place would send the large block into new memory. One call
// at a time.
void ccp_settle(size_t room) {
	static void *above;
	if (heap == 0) return;
	malloc_trim(0);
	reserve();
	free(above);
	void *volatile hole = malloc(room); // volatile: the compiler would leave out a block that is only freed
	above = malloc(room);
	free(hole);
}

#else

void ccp_keep_heap(size_t size, int heaps) { (void)size; (void)heaps; }
void ccp_settle(size_t room) { (void)room; }

#endif
