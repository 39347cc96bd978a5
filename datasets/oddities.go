package datasets

import "fmt"

// warnOddities adds a warning for what is allowed but seldom meant: a graph in pieces, self-loops, classes that a
// split lacks.
func (d *Dataset) warnOddities() {
	stats := d.Affinity.Stats()
	if stats.Components > 1 {
		d.warn("the graph is disconnected: %d components, %d nodes without neighbours; a cluster cannot span a gap",
			stats.Components, stats.Isolated)
	}
	if stats.Loops > 0 {
		d.warn("the graph has self-loops (%d), which the layer leaves out", stats.Loops)
	}
	for _, split := range d.splits() {
		present := d.classCounts(split.indices)
		for class, count := range present {
			if count == 0 {
				d.warn("class %s has no %s sample", d.className(class), split.name)
			}
		}
	}
}

// classCounts counts the samples of each class.
func (d *Dataset) classCounts(indices []int) []int {
	counts := make([]int, d.Classes())
	for _, i := range indices {
		counts[d.Labels[i]]++
	}
	return counts
}

// className is a class as messages show it: its number, and its name where that says more.
func (d *Dataset) className(class int) string {
	if name := d.ClassNames[class]; name != fmt.Sprint(class) {
		return fmt.Sprintf("%d (%s)", class, name)
	}
	return fmt.Sprint(class)
}
