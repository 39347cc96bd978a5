// Package picture draws clusterings as still pictures, PNG and SVG: over a grid of cells, over any graph by coordinates or distances, and
// the tree of clusters over clusters.
package picture

import (
	"image/color"
	"slices"
)

// okabeIto is the palette of Okabe and Ito, which people with the common kinds of colour blindness can tell apart, its eight colours
// without black and then the same lighter or darker. The first ones differ in lightness, too, so that they are told apart in grey.
var okabeIto = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0xf0, 0xe4, 0x42, 0xff}, // yellow
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x56, 0xb4, 0xe9, 0xff}, // sky blue
	{0x00, 0x9e, 0x73, 0xff}, // bluish green
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0xcc, 0x79, 0xa7, 0xff}, // reddish purple
	{0xff, 0xf7, 0xc0, 0xff}, // pale yellow
	{0x00, 0x39, 0x59, 0xff}, // dark blue
	{0xc4, 0xe4, 0xf7, 0xff}, // pale blue
	{0x6a, 0x2f, 0x00, 0xff}, // brown
	{0x8c, 0xd9, 0xc3, 0xff}, // pale green
	{0x66, 0x2d, 0x4e, 0xff}, // dark purple
	{0xf2, 0xcf, 0xe1, 0xff}, // pale purple
}

// Colours gives each of k clusters a colour of the palette such that clusters which touch differ, as far as the colours go, and each
// colour is used about as often as the others. touching lists pairs of clusters, in any order, again and again if need be.
// The result, `[k]`, is the same for the same arguments.
func Colours(k int, touching [][2]int32) []color.Color {
	lower := make([][]int32, k) // of each cluster: those of lower numbers that touch it
	for _, pair := range touching {
		low, high := min(pair[0], pair[1]), max(pair[0], pair[1])
		if low < high && !slices.Contains(lower[high], low) {
			lower[high] = append(lower[high], low)
		}
	}
	colours, chosen, uses := make([]color.Color, k), make([]int, k), make([]int, len(okabeIto))
	for i := range chosen {
		taken := make([]int, len(okabeIto))
		for _, j := range lower[i] {
			taken[chosen[j]]++
		}
		best := 0
		for c := range okabeIto {
			if taken[c] < taken[best] || taken[c] == taken[best] && uses[c] < uses[best] {
				best = c
			}
		}
		chosen[i], colours[i] = best, okabeIto[best]
		uses[best]++
	}
	return colours
}
