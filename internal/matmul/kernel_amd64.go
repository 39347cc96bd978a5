//go:build !purego

package matmul

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// kernelAVX2 adds the product of packed factors, `[k, tileRows]` and `[k, tileColumns]`, to a tile of c, whose rows are
// so many numbers apart. k is at least 1.
//
//go:noescape
func kernelAVX2(k int, a, b, c *float64, stride int)

func kernel(k int, a, b, c []float64, stride int) {
	_, _, _ = a[k*tileRows-1], b[k*tileColumns-1], c[(tileRows-1)*stride+tileColumns-1]
	kernelAVX2(k, &a[0], &b[0], &c[0], stride)
}
