//go:build linux && cgo

package keep

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flags are the kernel's two letters for what is said of the heap's parts; "hg" is: huge pages, please.
func flags(t *testing.T) (all []string) {
	text, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	inHeap := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, "[heap]"):
			inHeap = true
		case inHeap && strings.HasPrefix(line, "VmFlags:"):
			all, inHeap = append(all, line), false
		}
	}
	return all
}

// A program that links the package has most of its heap in huge pages, before anything is asked for.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/lib64/ld-linux-x86-64.so.2"); err != nil {
		t.Skip("this is for glibc on x86-64")
	}
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no huge pages of this kind")
	}
	assert.Contains(t, strings.Join(flags(t), ""), " hg")
}
