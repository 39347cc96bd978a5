//go:build cgo

package malloc

// #include <stddef.h>
// void ccp_keep_heap(size_t size, int heaps);
// void ccp_settle(size_t room);
import "C"

import (
	"os"
	"strings"
	"sync"
	"syscall"
)

// tunables is glibc's environment variable for settings of malloc; heaps is the setting for the number of heaps, and
// oldHeaps the variable for it in older versions.
const (
	tunables = "GLIBC_TUNABLES"
	heaps    = "glibc.malloc.arena_max"
	oldHeaps = "MALLOC_ARENA_MAX"
	// restarted says that the program was started again. glibc takes the other variables away from a program with
	// privileges of its own.
	restarted = "CCP_ONE_HEAP"
)

func heapsAreSet() bool {
	return strings.Contains(os.Getenv(tunables), heaps) || os.Getenv(oldHeaps) != ""
}

func startWithOneHeap() {
	if heapsAreSet() || os.Getenv(restarted) != "" {
		return
	}
	before := os.Getenv(tunables)
	if os.Setenv(tunables, strings.TrimPrefix(before+":"+heaps+"=1", ":")) == nil {
		_ = os.Setenv(restarted, "1")
		_ = syscall.Exec("/proc/self/exe", os.Args, os.Environ()) // returns only if the system refuses
		_ = os.Unsetenv(restarted)
		_ = os.Setenv(tunables, before)
	}
}

var apply = sync.OnceFunc(func() {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		most := C.int(16)
		if heapsAreSet() {
			most = 0
		}
		C.ccp_keep_heap(C.size_t(info.Totalram)/2*C.size_t(info.Unit), most)
	}
})

func settle() { C.ccp_settle(64 << 20) }
