package skeleton

import "slices"

// streams is the number of streams of a signal with Preparation.Streams: places, bones and motion. Each has three
// channels a body.
const streams = 3

// derive fills in the second and third stream of a signal, `[frames * joints, streams * 3 * bodies]`. A bone is the
// vector to a joint from its parent; it is zero at the origin. Motion is the vector to the joint's place in the next
// frame; it is zero in the last frame. If a body is absent at one of the two ends, the vector is zero.
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

// difference writes to - from, or zero if one of them is absent.
func difference(out, from, to []float32) {
	if *(*[3]float32)(from) == [3]float32{} || *(*[3]float32)(to) == [3]float32{} {
		from = to
	}
	for axis := range 3 {
		out[axis] = to[axis] - from[axis]
	}
}

// parents returns the parent of each joint: the joint before it on the way along the bones from the origin. The origin
// and joints without bones are their own parents.
func (l *Layout) parents() []int {
	graph, err := l.Graph(1)
	if err != nil {
		panic(err) // the table of a layout is wrong
	}
	far := slices.Repeat([]int32{-1}, len(l.Joints))
	graph.Walk(int32(l.Origin), far)
	parents := make([]int, len(l.Joints))
	for joint := range parents {
		parents[joint] = joint
		neighbours, _ := graph.Row(joint)
		for _, other := range neighbours {
			if far[joint] > far[other] {
				parents[joint] = int(other)
			}
		}
	}
	return parents
}
