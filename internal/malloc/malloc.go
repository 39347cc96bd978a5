// Package malloc keeps the memory that XLA's CPU plugin frees, for its next step. It does so only in a program that
// calls [Keep].
//
// A training step allocates and frees hundreds of megabytes. By default glibc maps each large block from the system
// and gives it back. The system then clears every page again, which can take longer than the computation.
package malloc

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

var (
	kept     atomic.Bool // Keep was called
	settling sync.Mutex
)

// Keep makes this process keep freed memory, from the moment when it opens XLA on the CPU. Call it at the start of
// main, and compute in that goroutine: Keep locks the goroutine to the main thread, because only the main thread's
// heap can hold the largest blocks. CCP_MALLOC=default in the environment makes Keep do nothing. Keep works with
// glibc only; elsewhere it has no effect.
func Keep() {
	if os.Getenv("CCP_MALLOC") != "default" {
		runtime.LockOSThread()
		kept.Store(true)
	}
}

// Apply changes the settings of malloc if Keep was called. Package backend calls it when it opens XLA on the CPU.
func Apply() {
	if kept.Load() {
		apply()
	}
}

// OneHeap lets all threads share one heap. Only this heap can hold the largest blocks of threads other than the main
// thread. Networks in bfloat16, several devices and servers have such blocks. Small float32 networks are faster with
// a heap for each thread.
//
// glibc reads the number of heaps before main. So OneHeap starts the program again, in the same process with the same
// arguments, and with GLIBC_TUNABLES in its environment. Call it before the program has any effect. It does nothing
// without Keep, in a program that already has the setting, or if the system refuses.
func OneHeap() {
	if kept.Load() {
		startWithOneHeap()
	}
}

// Settle gives free memory back to the system, and prepares the heap for a program that takes the same blocks again
// and again. Call it after a step has been compiled, which takes hundreds of megabytes, and after its first run.
// Without Keep it does nothing.
func Settle() {
	if kept.Load() {
		settling.Lock()
		defer settling.Unlock()
		settle()
	}
}
