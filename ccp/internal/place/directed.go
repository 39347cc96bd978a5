// Package place orders neighbourhoods by the positions of their nodes: each slot of a filter then has one direction
// from every centre. It runs on the host.
package place

import (
	"cmp"
	"math"
	"slices"

	"github.com/clusterpool/ccp/internal/exact"
	"github.com/clusterpool/ccp/internal/loop"
	"gonum.org/v1/gonum/floats"
)

// The bounds of Directed's work.
const (
	rounds = 10 // of assigning and moving the template
	starts = 16 // neighbourhoods that the template may begin as
	judges = 64 // neighbourhoods that choose among them
)

// Directed gives the nodes of k neighbourhoods slots, `size` each. A slot means the same displacement from the centre
// in all neighbourhoods.
//
// Each neighbourhood's nodes are assigned to the slots of a template with the least sum of distances. Each slot of
// the template moves to the median of its nodes, and so on until nothing changes. The template begins as one of the
// neighbourhoods. Squared distances would fit the template a little better, but they shift all nodes by a slot at a
// border. With distances most nodes keep their slots, and few are far off.
//
// The positions are the nodes', `[N, dims]`, centres the neighbourhoods', `[k, dims]`. nodes and ranks are `[k, size]`,
// row-major. A node of rank zero, or -1, is no part of a neighbourhood. An empty slot has rank zero and holds the
// first node of the neighbourhood, or 0. Slots are in the order of their distance from the centre.
//
// A template, `[size, dims]`, has the direction of each slot. With that of a former call the slots keep their
// directions; nil makes a new one. The last result is the template.
func Directed(template, positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) (
	[]int32, []float64, [][]float64) {
	d := newDirections(positions, centres, nodes, ranks, k, size)
	d.template = template
	if template == nil {
		d.begin()
	}
	order := make([][]int, k) // of each neighbourhood's members: their slots
	for range rounds {
		changed := false
		for c, shifts := range d.shifts {
			slots := d.assign(shifts)
			changed = changed || !slices.Equal(slots, order[c])
			order[c] = slots
		}
		if !changed {
			break
		}
		d.move(order)
	}
	to := loop.Indices(size)
	if template == nil {
		to = d.sort()
	}
	newNodes, newRanks := make([]int32, len(nodes)), make([]float64, len(ranks))
	for c, members := range d.members {
		row := newNodes[c*size : (c+1)*size]
		for s := range row {
			if len(members) > 0 {
				row[s] = nodes[members[0]]
			}
		}
		for at, slot := range order[c] {
			row[to[slot]] = nodes[members[at]]
			newRanks[c*size+to[slot]] = ranks[members[at]]
		}
	}
	return newNodes, newRanks, d.template
}

// directions holds the displacements of neighbourhoods' members from their centres, and the template to compare them
// with.
type directions struct {
	dims, size int
	members    [][]int       // of each neighbourhood: where its members are among all its nodes
	shifts     [][][]float64 // of each neighbourhood: the displacements of its members
	template   [][]float64   // `[size, dims]`
}

// newDirections finds the members of k neighbourhoods of size nodes each, and the displacement of each member from the
// centre of its neighbourhood. nodes and ranks are those of all neighbourhoods, one after the other; a slot without a
// node, or of rank 0, is no member. There is no template yet.
func newDirections(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) *directions {
	d := &directions{size: size, members: make([][]int, k), shifts: make([][][]float64, k)}
	for at, node := range nodes {
		if node < 0 || ranks[at] <= 0 {
			continue
		}
		c := at / size // the neighbourhood
		d.dims = len(centres[c])
		d.members[c] = append(d.members[c], at)
		d.shifts[c] = append(d.shifts[c], floats.SubTo(make([]float64, d.dims), positions[node], centres[c]))
	}
	return d
}

// begin chooses where the template begins. Among some neighbourhoods with the most members it takes the most typical
// one. Further slots begin at displacements far from it.
func (d *directions) begin() {
	most := 0
	for _, shifts := range d.shifts {
		most = max(most, len(shifts))
	}
	full := slices.DeleteFunc(slices.Clone(d.shifts), func(shifts [][]float64) bool { return len(shifts) < most })
	least := math.Inf(1)
	var best [][]float64
	for _, start := range some(full, starts) {
		d.template = start
		cost := 0.0
		for _, shifts := range some(full, judges) {
			for at, slot := range d.assign(shifts) {
				cost += exact.Distance(shifts[at], start[slot])
			}
		}
		if cost < least {
			least, best = cost, start
		}
	}
	d.template = nil
	for _, shift := range best {
		d.template = append(d.template, slices.Clone(shift))
	}
	for len(d.template) < d.size {
		d.template = append(d.template, d.farthest())
	}
}

// some takes at most n of a list, evenly spread.
func some[T any](list []T, n int) (chosen []T) {
	n = min(n, len(list))
	for i := range n {
		chosen = append(chosen, list[(2*i+1)*len(list)/(2*n)])
	}
	return chosen
}

// farthest finds the displacement that is farthest from every slot of the template.
func (d *directions) farthest() []float64 {
	far, farthest := 0.0, make([]float64, d.dims)
	for _, shifts := range d.shifts {
		for _, shift := range shifts {
			near := math.Inf(1)
			for _, slot := range d.template {
				near = min(near, exact.Distance(shift, slot))
			}
			if near > far {
				far, farthest = near, slices.Clone(shift)
			}
		}
	}
	return farthest
}

// assign gives each displacement a slot of its own.
func (d *directions) assign(shifts [][]float64) []int {
	cost := make([][]float64, len(shifts))
	for at, shift := range shifts {
		cost[at] = make([]float64, len(d.template))
		for slot, place := range d.template {
			cost[at][slot] = exact.Distance(shift, place)
		}
	}
	return Assign(cost)
}

// move puts each slot of the template to the median of its displacements.
func (d *directions) move(order [][]int) {
	of := make([][][]float64, d.size) // by slot and dimension
	for slot := range of {
		of[slot] = make([][]float64, d.dims)
	}
	for c, slots := range order {
		for at, slot := range slots {
			for x, shift := range d.shifts[c][at] {
				of[slot][x] = append(of[slot][x], shift)
			}
		}
	}
	for slot, coordinates := range of {
		for x, values := range coordinates {
			if len(values) > 0 {
				slices.Sort(values)
				d.template[slot][x] = (values[(len(values)-1)/2] + values[len(values)/2]) / 2
			}
		}
	}
}

// sort puts the slots in the order of distance from the centre, and gives the place of each.
func (d *directions) sort() []int {
	zero := make([]float64, d.dims)
	slots := loop.Indices(d.size)
	slices.SortStableFunc(slots, func(a, b int) int {
		return cmp.Compare(exact.Distance(d.template[a], zero), exact.Distance(d.template[b], zero))
	})
	place, sorted := make([]int, d.size), make([][]float64, d.size)
	for at, slot := range slots {
		place[slot], sorted[at] = at, d.template[slot]
	}
	d.template = sorted
	return place
}

// Centres computes the positions of k clusters: the means of their nodes' positions, `[k, dims]`.
func Centres(positions [][]float64, cluster []int32, k int) [][]float64 {
	centres, count := make([][]float64, k), make([]float64, k)
	for c := range centres {
		centres[c] = make([]float64, len(positions[0]))
	}
	for i, c := range cluster {
		floats.Add(centres[c], positions[i])
		count[c]++
	}
	for c := range centres {
		floats.Scale(1/max(count[c], 1), centres[c])
	}
	return centres
}

// Assign gives each of n rows a column of its own among m >= n, with the least sum of costs, `[n, m]`. It finds the
// shortest augmenting paths of Jonker and Volgenant (1987), in O(n²·m).
func Assign(cost [][]float64) []int {
	if len(cost) == 0 {
		return nil
	}
	n, m := len(cost), len(cost[0])
	a := &assignment{
		cost:        cost,
		rowPrice:    make([]float64, n+1),
		columnPrice: make([]float64, m+1),
		rowOf:       make([]int, m+1),
		before:      make([]int, m+1),
		least:       make([]float64, m+1),
		done:        make([]bool, m+1),
	}
	for row := 1; row <= n; row++ {
		a.add(row)
	}
	columns := make([]int, n)
	for j := 1; j <= m; j++ {
		if a.rowOf[j] > 0 {
			columns[a.rowOf[j]-1] = j - 1
		}
	}
	return columns
}

// assignment is an assignment of the first rows. Rows and columns count from 1; column 0 is where each search begins.
type assignment struct {
	cost                  [][]float64
	rowPrice, columnPrice []float64 // the dual variables: no cost is less than the sum of both prices
	rowOf                 []int     // the row that a column is assigned to; 0: the column is free
	before                []int     // the column from which the shortest path to a column comes
	least                 []float64 // the length of the shortest path to a column
	done                  []bool    // columns whose shortest path is known
}

// add assigns one more row, along the shortest path from it to a free column. The columns on that path change their
// rows.
func (a *assignment) add(row int) {
	for j := range a.least {
		a.least[j], a.done[j] = math.Inf(1), false
	}
	a.rowOf[0] = row
	at := 0
	for a.rowOf[at] != 0 { // until a free column
		a.done[at] = true
		next, step := a.nearest(at)
		for j := range a.done {
			if a.done[j] {
				a.rowPrice[a.rowOf[j]] += step
				a.columnPrice[j] -= step
			} else {
				a.least[j] -= step
			}
		}
		at = next
	}
	for at != 0 {
		a.rowOf[at] = a.rowOf[a.before[at]]
		at = a.before[at]
	}
}

// nearest extends paths from a column to all that are not done, and returns the one whose path is the shortest.
func (a *assignment) nearest(at int) (column int, length float64) {
	row := a.rowOf[at]
	length = math.Inf(1)
	for j := 1; j < len(a.done); j++ {
		if a.done[j] {
			continue
		}
		reduced := a.cost[row-1][j-1] - a.rowPrice[row] - a.columnPrice[j]
		if reduced < a.least[j] {
			a.least[j], a.before[j] = reduced, at
		}
		if a.least[j] < length {
			length, column = a.least[j], j
		}
	}
	return column, length
}
