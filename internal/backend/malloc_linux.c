#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __GLIBC__

static int untouched(void) {
	const char *wish = getenv("CCP_MALLOC");
	return wish != NULL && strcmp(wish, "default") == 0;
}

// The number of heaps has to be settled before there are threads: heaps that exist are used on, and those of
// threads hold no block above 64 MB, which is then mapped after all. Package mainthread, whose constructor is later, has more.
__attribute__((constructor(101))) static void ccp_one_heap(void) {
	if (!untouched()) mallopt(M_ARENA_MAX, 1);
}

static size_t heap; // that is reserved; 0 while malloc is left as it is

// reserve takes addresses for the heap, which may be backed by huge pages; of them only addresses are taken, no memory.
static void reserve(void) {
	char *block = malloc(heap);
	if (block == NULL) return;
	uintptr_t huge = 2 << 20, from = ((uintptr_t)block + huge - 1) / huge * huge;
	madvise((void *)from, ((uintptr_t)block + heap - from) / huge * huge, MADV_HUGEPAGE);
	free(block);
}

// ccp_keep_heap makes malloc keep what it has got: no mapping of its own for a large block, no giving back.
void ccp_keep_heap(size_t size) {
	if (untouched()) return;
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_TOP_PAD, 64 << 20);
	heap = size;
	reserve();
}

// ccp_settle gives the system the pages of free blocks of a kept heap, and reserves it anew. Then it leaves a hole of `room` bytes below a block
// of that size that stays, of both of which only addresses are taken: malloc takes the smallest hole that will do, so small blocks go there,
// and the place of a large one that comes and goes is whole when it comes back. Otherwise one small block in it sends the large one elsewhere,
// into new memory. One call at a time.
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

void ccp_keep_heap(size_t size) { (void)size; }
void ccp_settle(size_t room) { (void)room; }

#endif
