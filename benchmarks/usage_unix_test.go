//go:build unix

package benchmarks

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// getrusage counts memory in bytes on Apple's systems, in KiB elsewhere. This process has between 4 MB and 64 GB.
func TestMaxrss(t *testing.T) {
	assert.Equal(t, 1024.0, maxrssPerMB("darwin")/maxrssPerMB("linux"))
	assert.Equal(t, 1024.0, maxrssPerMB("linux"))
	_, peak := usage()
	assert.Greater(t, peak, 4.0)
	assert.Less(t, peak, 65_536.0)
}
