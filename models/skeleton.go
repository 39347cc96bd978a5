package models

import (
	"fmt"

	"github.com/clusterpool/ccp/ccp/affinity"
	. "github.com/gomlx/gomlx/core/graph"
)

// checkBody says why the nodes are no joints of a body in frame after frame.
func (s Spec) checkBody() error {
	if s.Parts == nil {
		return fmt.Errorf("model %s needs recordings of a body's joints, frame by frame, such as nw-ucla's; this data has no parts of a body: own data has them in an array parts, which ccp data import --parts writes", s.Model)
	}
	if err := s.checkGrid(); err != nil {
		return err
	}
	for i, part := range s.Parts {
		if len(part) == 0 {
			return fmt.Errorf("model %s: part %d of the body has no joints", s.Model, i)
		}
		for _, joint := range part {
			if joint < 0 || joint >= s.Grid[1] {
				return fmt.Errorf("model %s: part %d of the body has joint %d; joints go from 0 to %d", s.Model, i, joint, s.Grid[1]-1)
			}
		}
	}
	return nil
}

// checkPlaces says why the nodes are no joints of a body, or why their places in space are not known.
func (s Spec) checkPlaces() error {
	if err := s.checkBody(); err != nil {
		return err
	}
	if s.Bodies < 1 || s.Channels < 3*s.Bodies {
		return fmt.Errorf("model %s needs x, y and z of the joints; this data has %d channels, and x, y and z of %d bodies", s.Model, s.Channels, s.Bodies)
	}
	return nil
}

// placesOf are x, y and z of the joints, in the units of the signal. signal: `[batch, nodes, channels]`, result `[batch, frames, joints,
// bodies, 3]`.
func placesOf(spec Spec, signal *Node) *Node {
	x := SliceAxis(signal, 2, AxisRange(0, 3*spec.Bodies))
	return Reshape(x, x.Shape().Dim(0), spec.Grid[0], spec.Grid[1], spec.Bodies, 3)
}

// partsOf are the values of each part of the body, joint by joint. x: `[steps, batch, joints, channels]`, results `[steps, batch, values]`.
func partsOf(spec Spec, x *Node) (parts []*Node) {
	for _, columns := range spec.Parts {
		var of []*Node
		for _, joint := range columns {
			of = append(of, Squeeze(SliceAxis(x, 2, AxisElem(joint)), 2))
		}
		parts = append(parts, Concatenate(of, -1))
	}
	return parts
}

// bonesOf are the edges between the joints of the first frame, the lower joint first.
func bonesOf(graph *affinity.Matrix, joints int) (bones [][2]int) {
	for joint := range joints {
		neighbours, _ := graph.Row(joint)
		for _, to := range neighbours {
			if int(to) > joint && int(to) < joints {
				bones = append(bones, [2]int{joint, int(to)})
			}
		}
	}
	return bones
}
