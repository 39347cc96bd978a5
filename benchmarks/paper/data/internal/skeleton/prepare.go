package skeleton

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/spatial/r3"
)

// Preparation turns recordings into signals of one size.
type Preparation struct {
	// Layout is the skeleton of the recordings.
	Layout *Layout
	// Frames is the number of frames of a signal, whatever the length of its recording.
	Frames int
	// Whole signals have as many frames as their recordings. Frames is then what a network reads of them.
	Whole bool
	// Bodies is the number of bodies of a signal. Others are left out; absent ones are zeros.
	Bodies int
	// Streams adds channels for the directions of the bones and for the motion of the joints. Filters then need not
	// learn these differences.
	Streams bool
	// Upright bodies keep the sensor's upward axis: only their turn about it is taken away. A view from the body's own
	// axes takes away how far it bends, too.
	Upright bool
}

// Nodes returns the number of nodes of a signal: its frames times the joints.
func (p Preparation) Nodes() int { return p.Frames * len(p.Layout.Joints) }

// Channels returns the number of channels of a signal: x, y, z of each body, in each of its streams.
func (p Preparation) Channels() int {
	if p.Streams {
		return 3 * p.Bodies * streams
	}
	return 3 * p.Bodies
}

// Signal returns a recording as a signal, `[frames * joints, channels]` row-major:
//
//   - the actors are the bodies that move most, the main actor first;
//   - the frames are those in which the main actor was seen;
//   - every body is seen from the main actor's body: x to the left shoulder, y up the spine, the origin at the waist,
//     the spine as the unit of length. The axes are those of the first frame in which the spine is about as long as
//     usual and the joints do not lie on one line. If bodies are upright, y is the sensor's, x is the mean over the
//     recording, and the unit is the usual length;
//   - unless signals are whole, the frames are resampled linearly; the first and the last stay as they are.
//
// An absent body is zeros. The error says what the recording lacks.
func (p Preparation) Signal(r *Recording) ([]float32, error) {
	actors := p.Layout.actors(r, p.Bodies)
	if len(actors) == 0 {
		return nil, fmt.Errorf("no body in any of its %d frames", r.Frames)
	}
	if err := p.look(actors); err != nil {
		return nil, err
	}
	if p.Whole {
		p.Frames = len(actors[0].Frames)
	}
	signal := make([]float32, p.Nodes()*p.Channels())
	for number := range actors {
		p.resample(&actors[number], actors[0].Frames, signal[3*number:])
	}
	if p.Streams {
		p.derive(signal)
	}
	for _, v := range signal {
		if !finite(float64(v)) {
			return nil, errors.New("joints are too far from each other to be a body's")
		}
	}
	return signal, nil
}

// look replaces the poses of all actors by their coordinates in the main actor's view. Only frames in which the main
// actor was seen count.
func (p Preparation) look(actors []Body) error {
	main := &actors[0]
	view, lacks := p.Layout.firstFrame, "in none of its %d frames do shoulders and spine of the main body span a plane"
	if p.Upright {
		view, lacks = p.Layout.upright, "in its %d frames the main body lies, or has no spine"
	}
	frame, ok := view(main)
	if !ok {
		return fmt.Errorf(lacks, len(main.Frames))
	}
	for a := range actors {
		for row, timepoint := range actors[a].Frames {
			if _, ok := slices.BinarySearch(main.Frames, timepoint); ok {
				frame.apply(actors[a].pose(row))
			}
		}
	}
	return nil
}

// resample writes a body at p.Frames time points, spread evenly over the given frames, to every p.Bodies-th triple of
// dst. It interpolates between two frames. If the body is in only one of the two, it keeps that pose for the nearer
// half of the way and is absent for the other half.
func (p Preparation) resample(b *Body, frames []int, dst []float32) {
	for k := range p.Frames {
		at, share := position(k, p.Frames, len(frames))
		near, far := at, at+1
		if share > 0.5 {
			near, far, share = at+1, at, 1-share
		}
		row, there := slices.BinarySearch(b.Frames, frames[near])
		if !there {
			continue
		}
		pose, other := b.pose(row), b.pose(row)
		if share > 0 {
			if row, there := slices.BinarySearch(b.Frames, frames[far]); there {
				other = b.pose(row)
			}
		}
		for i, v := range pose {
			joint := k*len(p.Layout.Joints) + i/3
			dst[joint*p.Channels()+i%3] = v + share*(other[i]-v)
		}
	}
}

// position returns the place of time point k of `timepoints` among n frames: frame `at` plus a share of the way to the
// next. The ends coincide. With time points = n every time point is a frame.
func position(k, timepoints, n int) (at int, share float32) {
	if timepoints == 1 {
		return 0, 0
	}
	way := k * (n - 1)
	return way / (timepoints - 1), float32(way%(timepoints-1)) / float32(timepoints-1)
}

// streams is the number of streams of a signal with Preparation.Streams: positions, bones and motion. Each has three
// channels a body.
const streams = 3

// derive fills in the second and third stream of a signal, `[frames * joints, streams * 3 * bodies]`. A bone is the
// unit vector to a joint from its parent; it is zero at the origin. Motion is the vector to the joint's place in the
// next frame; it is zero in the last frame. If a body is absent at one of the two ends, the vector is zero.
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
				direction(bone[:3])
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

// direction scales a vector to the length one. Zero stays zero.
func direction(v []float32) {
	if length := r3.Norm(vector(v, 0)); length > 0 {
		for axis := range v {
			v[axis] = float32(float64(v[axis]) / length)
		}
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
