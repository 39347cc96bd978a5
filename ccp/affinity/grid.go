package affinity

import "fmt"

// Grid is the graph of an image of height x width pixels, each joined to its 4 (left, right, up, down) or 8 (the
// diagonals, too) neighbours with weight 1. Pixel (row, column) is node row*width + column.
func Grid(height, width, neighbours int) (*Matrix, error) {
	if height < 1 || width < 1 || height > maxNodes/width {
		return nil, fmt.Errorf("grid of %d x %d; each side is at least 1, the product at most %d", height, width, maxNodes)
	}
	if neighbours != 4 && neighbours != 8 {
		return nil, fmt.Errorf("grid with %d neighbours; a pixel has 4 or 8", neighbours)
	}
	// Half of the neighbours: the others are the same edges from the other end.
	steps := [][2]int{{0, 1}, {1, 0}, {1, 1}, {1, -1}}[:neighbours/2]
	edges := make([]Edge, 0, height*width*len(steps))
	for row := range height {
		for column := range width {
			for _, step := range steps {
				r, c := row+step[0], column+step[1]
				if r < height && c >= 0 && c < width {
					edges = append(edges, Edge{row*width + column, r*width + c, 1})
				}
			}
		}
	}
	return New(height*width, edges)
}

// SpaceTime is the graph of a skeleton that moves: node frame*joints + joint is a joint in a frame. In every frame the
// two joints of each bone are joined, and each joint is joined to itself in the next frame, all with weight 1.
func SpaceTime(bones [][2]int, joints, frames int) (*Matrix, error) {
	if joints < 1 || frames < 1 || joints > maxNodes/frames {
		return nil, fmt.Errorf("skeleton of %d joints over %d frames; each is at least 1, the product at most %d", joints, frames, maxNodes)
	}
	for k, bone := range bones {
		if bone[0] == bone[1] || min(bone[0], bone[1]) < 0 || max(bone[0], bone[1]) >= joints {
			return nil, fmt.Errorf("bone %d joins %d and %d; it takes two of the %d joints, which count from 0", k, bone[0], bone[1], joints)
		}
	}
	var edges []Edge
	for frame := range frames {
		first := frame * joints
		for _, bone := range bones {
			edges = append(edges, Edge{first + bone[0], first + bone[1], 1})
		}
		if frame+1 < frames {
			for joint := range joints {
				edges = append(edges, Edge{first + joint, first + joints + joint, 1})
			}
		}
	}
	return New(joints*frames, edges)
}
