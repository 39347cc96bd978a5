package place

import "math"

// Assign gives each of n rows a column of its own among m >= n, with the least sum of costs, `[n, m]`. It finds the
// shortest augmenting paths of Jonker and Volgenant (1987), in O(n²·m).
func Assign(cost [][]float64) []int {
	if len(cost) == 0 {
		return nil
	}
	n, m := len(cost), len(cost[0])
	// Rows and columns count from 1; column 0 is where each search begins.
	rowPrice, columnPrice := make([]float64, n+1), make([]float64, m+1)
	rowOf, before := make([]int, m+1), make([]int, m+1)
	least, done := make([]float64, m+1), make([]bool, m+1)
	for row := 1; row <= n; row++ {
		for j := range least {
			least[j], done[j] = math.Inf(1), false
		}
		rowOf[0] = row
		at := 0
		for rowOf[at] != 0 { // until a free column
			done[at] = true
			i, step, next := rowOf[at], math.Inf(1), 0
			for j := 1; j <= m; j++ {
				if done[j] {
					continue
				}
				if reduced := cost[i-1][j-1] - rowPrice[i] - columnPrice[j]; reduced < least[j] {
					least[j], before[j] = reduced, at
				}
				if least[j] < step {
					step, next = least[j], j
				}
			}
			for j := range done {
				if done[j] {
					rowPrice[rowOf[j]] += step
					columnPrice[j] -= step
				} else {
					least[j] -= step
				}
			}
			at = next
		}
		for at != 0 {
			rowOf[at] = rowOf[before[at]]
			at = before[at]
		}
	}
	columns := make([]int, n)
	for j := 1; j <= m; j++ {
		if rowOf[j] > 0 {
			columns[rowOf[j]-1] = j - 1
		}
	}
	return columns
}
