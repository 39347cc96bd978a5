package backend

/*
#include <malloc.h>
#include <stdlib.h>
#include <stdint.h>
#include <sys/mman.h>

// keepHeap makes malloc keep what it has got: no mapping of its own for a large block, no giving back, one heap for all
// threads. The first `reserve` bytes of the heap may then be backed by huge pages.
static void keepHeap(size_t reserve) {
#ifdef __GLIBC__
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
	mallopt(M_TOP_PAD, 64 << 20);
	mallopt(M_ARENA_MAX, 1);
	char *block = malloc(reserve); // addresses only: no page of it is touched
	if (block == NULL) return;
	uintptr_t huge = 2 << 20, from = ((uintptr_t)block + huge - 1) / huge * huge;
	madvise((void *)from, ((uintptr_t)block + reserve - from) / huge * huge, MADV_HUGEPAGE);
	free(block);
#endif
}
*/
import "C"

import (
	"os"
	"sync"
	"syscall"
)

// mallocEnv, set to "default", leaves the C library's malloc as it is.
const mallocEnv = "CCP_MALLOC"

// tuneMalloc lets XLA's CPU plugin reuse the memory of its intermediate results. It allocates and frees hundreds of
// megabytes in a step, which glibc maps from the system and gives back each time: every page is then cleared and
// faulted in anew, and that costs more than most of what is computed in it (see docs/performance.md).
var tuneMalloc = sync.OnceFunc(func() {
	var info syscall.Sysinfo_t
	if os.Getenv(mallocEnv) == "default" || syscall.Sysinfo(&info) != nil {
		return
	}
	C.keepHeap(C.size_t(uint64(info.Totalram) * uint64(info.Unit) / 2))
})
