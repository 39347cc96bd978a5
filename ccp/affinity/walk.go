package affinity

// Walk goes along the edges from a node to all nodes that it can reach, breadth first, and returns these in the order in
// which it came to them: those of fewer hops first. It writes the number of hops to each of them to far, `[N]`. It does not
// enter nodes whose far is not negative, so that a walk with the far of earlier ones stays out of their components.
func (m *Matrix) Walk(from int32, far []int32) (reached []int32) {
	far[from] = 0
	reached = []int32{from}
	for at := 0; at < len(reached); at++ {
		neighbours, _ := m.Row(int(reached[at]))
		for _, j := range neighbours {
			if far[j] < 0 {
				far[j] = far[reached[at]] + 1
				reached = append(reached, j)
			}
		}
	}
	return reached
}
