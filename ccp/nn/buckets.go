package nn

import "slices"

// Buckets sorts rows by width, the widest first. It starts a new bucket if together finds a row too narrow for a
// table as wide as the bucket's first row. place is the position of each row in the concatenated buckets.
func Buckets(widths []int, together func(widest, width int) bool) (buckets [][]int32, place []int32) {
	order := make([]int32, len(widths))
	place = make([]int32, len(widths))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return widths[j] - widths[i] })
	for at, i := range order {
		place[i] = int32(at)
	}
	for start, end := 0, 1; end <= len(order); end++ {
		if end == len(order) || !together(widths[order[start]], widths[order[end]]) {
			buckets, start = append(buckets, order[start:end]), end
		}
	}
	return buckets, place
}
