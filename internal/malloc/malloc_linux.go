//go:build cgo

package malloc

// #include <stddef.h>
// void ccp_keep_heap(size_t size);
// void ccp_settle(size_t room);
import "C"

import (
	"sync"
	"syscall"
)

var apply = sync.OnceFunc(func() {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		C.ccp_keep_heap(C.size_t(info.Totalram) / 2 * C.size_t(info.Unit))
	}
})

func settle() { C.ccp_settle(64 << 20) }
