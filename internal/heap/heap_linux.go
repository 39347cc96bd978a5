//go:build cgo

package heap

/*
#include <malloc.h>

#ifdef __GLIBC__
// It runs before main, and so before another thread has a heap of its own.
__attribute__((constructor)) static void keep(void) {
	mallopt(M_ARENA_MAX, 1);       // one heap for all threads
	mallopt(M_MMAP_MAX, 0);        // large blocks lie there, too
	mallopt(M_TRIM_THRESHOLD, -1); // it never shrinks
}
#endif
*/
import "C"
