package backend

// #include <stddef.h>
// void ccp_keep_heap(size_t size);
// void ccp_settle(size_t room);
import "C"

import (
	"sync"
	"syscall"
)

// tuneMalloc lets XLA's CPU plugin reuse the memory of its intermediate results. It allocates and frees hundreds of
// megabytes in a step, which glibc maps from the system and gives back each time: every page is then cleared and
// faulted in anew, and that costs more than most of what is computed in it. CCP_MALLOC=default leaves malloc as it is.
var tuneMalloc = sync.OnceFunc(func() {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		C.ccp_keep_heap(C.size_t(info.Totalram) / 2 * C.size_t(info.Unit))
	}
})

var settling sync.Mutex

// Settle gives the system memory that is free, and prepares for a program that takes as much again and again. It is for the moments after a
// step has been compiled, which takes hundreds of megabytes, and after it was run for the first time. Without XLA on the CPU it does nothing.
func Settle() {
	settling.Lock()
	defer settling.Unlock()
	C.ccp_settle(64 << 20)
}
