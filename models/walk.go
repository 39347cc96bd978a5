package models

import "slices"

// walkOf walks along the bones from the middle of the skeleton to all other joints, depth first, and comes back the same way (Liu et al. 2016).
// Each joint is in it when it is reached, and again after each of the ways that go on from there. The middle is the joint whose
// furthest joint is nearest, of several the lowest. Joints that no bone leads to follow in walks of their own.
func walkOf(bones [][2]int, joints int) (walk []int) {
	neighbours := make([][]int, joints)
	for _, b := range bones {
		neighbours[b[0]], neighbours[b[1]] = append(neighbours[b[0]], b[1]), append(neighbours[b[1]], b[0])
	}
	seen := make([]bool, joints)
	var visit func(joint int)
	visit = func(joint int) {
		seen[joint] = true
		walk = append(walk, joint)
		for _, to := range slices.Sorted(slices.Values(neighbours[joint])) {
			if !seen[to] {
				visit(to)
				walk = append(walk, joint)
			}
		}
	}
	for joint := range joints {
		if !seen[joint] {
			visit(middleOf(neighbours, joint))
		}
	}
	return walk
}

// middleOf is the lowest of the joints that hang together with one and whose furthest joint is nearest.
func middleOf(neighbours [][]int, joint int) int {
	hops := func(from int) (reached []int, furthest int) {
		distance := map[int]int{from: 0}
		reached = append(reached, from)
		for at := 0; at < len(reached); at++ {
			for _, to := range neighbours[reached[at]] {
				if _, ok := distance[to]; !ok {
					distance[to] = distance[reached[at]] + 1
					reached = append(reached, to)
				}
			}
		}
		return reached, distance[reached[len(reached)-1]]
	}
	all, _ := hops(joint)
	slices.Sort(all)
	return slices.MinFunc(all, func(a, b int) int { // the first of several
		_, ofA := hops(a)
		_, ofB := hops(b)
		return ofA - ofB
	})
}
