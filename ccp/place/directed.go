package place

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// The bounds of Directed's work.
const (
	rounds = 10 // of assigning and moving the template
	starts = 16 // neighbourhoods that the template may begin as
	judges = 64 // neighbourhoods that choose among them
)

// Directed gives the nodes of k neighbourhoods slots, `size` each, such that a slot means the same displacement from the centre in all
// of them. Each neighbourhood's nodes are assigned to the slots of a template, the sum of distances being least; each slot of the template
// moves to the median of what was assigned; and so on until nothing changes. Squared distances would fit the template a little
// better, but shift all nodes by a slot at a border; as it is, most keep their slots and few are far off. The template begins as one of
// the neighbourhoods. positions are the nodes', `[N, dims]`, centres the neighbourhoods', `[k, dims]`; nodes and ranks are `[k, size]`,
// row-major. Nodes of rank zero, or -1, are no part of a neighbourhood: a slot that none is assigned to has rank zero and holds the
// first node that is one, or 0. Slots are in the order of their distance from the centre.
func Directed(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) ([]int32, []float64) {
	d := newDirections(positions, centres, nodes, ranks, k, size)
	d.begin()
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
	to := d.sort()
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
	return newNodes, newRanks
}

// directions are the displacements of neighbourhoods' members from their centres, and the template that they are compared with.
type directions struct {
	dims, size int
	members    [][]int       // of each neighbourhood: where its members are among all its nodes
	shifts     [][][]float64 // of each neighbourhood: the displacements of its members
	template   [][]float64   // `[size, dims]`
}

func newDirections(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) *directions {
	d := &directions{size: size, members: make([][]int, k), shifts: make([][][]float64, k)}
	for at, node := range nodes {
		if node < 0 || ranks[at] <= 0 {
			continue
		}
		c := at / size
		d.dims = len(centres[c])
		d.members[c] = append(d.members[c], at)
		d.shifts[c] = append(d.shifts[c], floats.SubTo(make([]float64, d.dims), positions[node], centres[c]))
	}
	return d
}

// begin lets the template begin as the neighbourhood, among some of the most members, that is most like the others; further slots begin at
// displacements far from it.
func (d *directions) begin() {
	var full [][][]float64
	for _, shifts := range d.shifts {
		if len(full) == 0 || len(shifts) > len(full[0]) {
			full = nil
		}
		if len(full) == 0 || len(shifts) == len(full[0]) {
			full = append(full, shifts)
		}
	}
	least := math.Inf(1)
	var best [][]float64
	for _, start := range some(full, starts) {
		d.template = start
		cost := 0.0
		for _, shifts := range some(full, judges) {
			for at, slot := range d.assign(shifts) {
				cost += distance(shifts[at], start[slot])
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

// some are at most n of a list, evenly spread.
func some[T any](list []T, n int) (chosen []T) {
	n = min(n, len(list))
	for i := range n {
		chosen = append(chosen, list[(2*i+1)*len(list)/(2*n)])
	}
	return chosen
}

// farthest is the displacement that is farthest from every slot of the template.
func (d *directions) farthest() []float64 {
	far, farthest := 0.0, make([]float64, d.dims)
	for _, shifts := range d.shifts {
		for _, shift := range shifts {
			near := math.Inf(1)
			for _, slot := range d.template {
				near = min(near, distance(shift, slot))
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
			cost[at][slot] = distance(shift, place)
		}
	}
	return Assign(cost)
}

// move puts each slot of the template to the median of the displacements that have it.
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

// sort gives the place of each slot when they are in the order of their distance from the centre.
func (d *directions) sort() []int {
	zero := make([]float64, d.dims)
	slots := make([]int, d.size)
	for s := range slots {
		slots[s] = s
	}
	slices.SortStableFunc(slots, func(a, b int) int { return cmp.Compare(distance(d.template[a], zero), distance(d.template[b], zero)) })
	place := make([]int, d.size)
	for at, slot := range slots {
		place[slot] = at
	}
	return place
}

// distance is the Euclidean one.
func distance(a, b []float64) float64 { return math.Sqrt(squared(a, b)) }

func squared(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return sum
}

// Centres are the positions of k clusters: the means of their nodes' positions, `[k, dims]`.
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

// Misfit says how badly one template fits all k neighbourhoods: the variance of displacements within the slots as a share of that over
// all slots. It is 0 where a slot means one displacement everywhere, and near 1 where it means nothing. Arguments are as in Directed.
func Misfit(positions, centres [][]float64, nodes []int32, ranks []float64, k, size int) float64 {
	d := newDirections(positions, centres, nodes, ranks, k, size)
	bySlot, all := make([][][]float64, size), [][]float64{}
	for c, members := range d.members {
		for at, member := range members {
			bySlot[member%size] = append(bySlot[member%size], d.shifts[c][at])
			all = append(all, d.shifts[c][at])
		}
	}
	within := 0.0
	for _, shifts := range bySlot {
		within += scatter(shifts)
	}
	return within / max(scatter(all), math.SmallestNonzeroFloat64)
}

// scatter is the sum of squared distances of points from their mean.
func scatter(points [][]float64) (sum float64) {
	if len(points) == 0 {
		return 0
	}
	mean := make([]float64, len(points[0]))
	for _, p := range points {
		floats.AddScaled(mean, 1/float64(len(points)), p)
	}
	for _, p := range points {
		sum += squared(p, mean)
	}
	return sum
}
