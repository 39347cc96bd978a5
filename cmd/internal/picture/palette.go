// Package picture draws still pictures, PNG and SVG: clusters, values and signals on the nodes of a graph, curves, and
// functions of two variables.
package picture

import (
	"cmp"
	"image/color"
	"slices"
)

// Palette is the palette of Okabe and Ito without black, then its colours lighter or darker. People with the common
// kinds of colour blindness can tell the colours apart. The first ones also differ in grey.
var Palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xf0, 0xe4, 0x42, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff},
	{0x00, 0x9e, 0x73, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff}, {0xff, 0xf7, 0xc0, 0xff},
	{0x00, 0x39, 0x59, 0xff}, {0xc4, 0xe4, 0xf7, 0xff}, {0x6a, 0x2f, 0x00, 0xff}, {0x8c, 0xd9, 0xc3, 0xff},
	{0x66, 0x2d, 0x4e, 0xff}, {0xf2, 0xcf, 0xe1, 0xff},
}

// Colours returns the index of a colour in Palette for each of k clusters. Clusters that touch differ if the colours
// suffice, and all colours are used about equally often. touching lists pairs of clusters in any order; a pair may
// repeat. The same arguments give the same colours.
func Colours(k int, touching [][2]int32) []int {
	lower := make([][]int32, k) // the clusters of lower numbers that touch each cluster
	for _, pair := range touching {
		low, high := min(pair[0], pair[1]), max(pair[0], pair[1])
		if low < high && !slices.Contains(lower[high], low) {
			lower[high] = append(lower[high], low)
		}
	}
	colours, uses := make([]int, k), make([]int, len(Palette))
	for i := range colours {
		taken := make([]int, len(Palette))
		for _, j := range lower[i] {
			taken[colours[j]]++
		}
		colours[i] = slices.MinFunc(indices(len(Palette)), func(a, b int) int {
			return cmp.Or(cmp.Compare(taken[a], taken[b]), cmp.Compare(uses[a], uses[b]))
		})
		uses[colours[i]]++
	}
	return colours
}
