package heap

import "testing"

// Reserve and Release can come in any number and order.
func TestReserveAndRelease(*testing.T) {
	Release()
	for range 3 {
		Reserve()
		Reserve()
		Release()
	}
}
