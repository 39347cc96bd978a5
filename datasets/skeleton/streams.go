package skeleton

// streams of a signal with Preparation.Streams: places, bones and motion, three channels a body each.
const streams = 3

// derive fills in the second and third stream of a signal, `[frames * joints, streams * 3 * bodies]`. A bone is the vector
// to a joint from its parent (zero at the origin), motion the vector to the joint's place in the next frame (zero in the
// last). Where a body is absent at one of the two ends the vector is zero.
func (p Preparation) derive(signal []float32) {
	joints, channels := len(p.Layout.Joints), p.Channels()
	parents := p.Layout.parents()
	for frame := range p.Frames {
		for joint := range joints {
			node := frame*joints + joint
			for body := range p.Bodies {
				point := func(node int) []float32 { return signal[node*channels+3*body : node*channels+3*body+3] }
				bone := signal[node*channels+3*(p.Bodies+body):]
				motion := signal[node*channels+3*(2*p.Bodies+body):]
				difference(bone, point(frame*joints+parents[joint]), point(node))
				if frame+1 < p.Frames {
					difference(motion, point(node), point(node+joints))
				}
			}
		}
	}
}

// difference writes to - from, or zero where one of them is absent.
func difference(out, from, to []float32) {
	if *(*[3]float32)(from) == [3]float32{} || *(*[3]float32)(to) == [3]float32{} {
		from = to
	}
	for axis := range 3 {
		out[axis] = to[axis] - from[axis]
	}
}

// parents gives each joint its parent, the joint before it on the way along the bones from the origin. The origin and joints
// without bones are their own parents.
func (l *Layout) parents() []int {
	parents := make([]int, len(l.Joints))
	for joint := range parents {
		parents[joint] = joint
	}
	found := []int{l.Origin}
	seen := map[int]bool{l.Origin: true}
	for at := 0; at < len(found); at++ {
		for _, bone := range l.Bones {
			for _, way := range [][2]int{bone, {bone[1], bone[0]}} {
				if way[0] == found[at] && !seen[way[1]] {
					parents[way[1]], seen[way[1]] = way[0], true
					found = append(found, way[1])
				}
			}
		}
	}
	return parents
}
