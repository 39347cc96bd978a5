package skeleton

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// stick is a body of four joints: 0 waist, 1 neck, 2 right shoulder, 3 left shoulder.
var stick = Layout{
	Joints: []string{"waist", "neck", "right", "left"}, Bones: [][2]int{{0, 1}, {1, 2}, {1, 3}},
	Sides: [][2]int{{3, 2}}, Origin: 0, X: [2]int{2, 3}, Y: [2]int{0, 1},
}

// upright is a pose of stick that stands at (x, y, z), two units tall, turned by an angle about the vertical.
func upright(x, y, z, angle float64) []float32 {
	sin, cos := math.Sincos(angle)
	var pose []float32
	for _, p := range [][3]float64{{0, 0, 0}, {0, 2, 0}, {-0.5, 2, 0}, {0.5, 2, 0}} {
		pose = append(pose, float32(x+cos*p[0]+sin*p[2]), float32(y+p[1]), float32(z-sin*p[0]+cos*p[2]))
	}
	return pose
}

// lying is a pose of stick on the floor.
func lying(x float64) []float32 {
	pose := upright(0, 0, 0, 0)
	for i := 0; i < len(pose); i += 3 {
		pose[i], pose[i+1] = float32(x)+pose[i+1], -pose[i]
	}
	return pose
}

// body is a body that is seen from frame `first` on.
func body(id string, first int, poses ...[]float32) Body {
	b := Body{ID: id}
	for i, pose := range poses {
		b.Frames = append(b.Frames, first+i)
		b.Joints = append(b.Joints, pose...)
	}
	return b
}

// walk is the poses of somebody who walks along x, a step a frame.
func walk(x, step float64, frames int) (poses [][]float32) {
	for i := range frames {
		poses = append(poses, upright(x+step*float64(i), 0, 3, 0))
	}
	return poses
}

// dancer is a random recording of a layout's body that moves about.
func dancer(rng *rand.Rand, l *Layout, frames int) *Recording {
	rest := make([]float32, 3*len(l.Joints))
	for i := range rest {
		rest[i] = float32(rng.NormFloat64())
	}
	b := Body{ID: "1"}
	for frame := range frames {
		b.Frames = append(b.Frames, frame)
		for i := range rest {
			b.Joints = append(b.Joints, rest[i]+0.1*float32(rng.NormFloat64()))
		}
	}
	return &Recording{Frames: frames, Bodies: []Body{b}}
}

// ntuBody is the text of a body in a frame, all joints at the given positions or, with one place, all at that.
func ntuBody(id string, positions ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s 0 1 1 0 0 0 0.1 -0.2 2\r\n25\r\n", id)
	for joint := range 25 {
		fmt.Fprintf(&b, "%s 300.5 200.1 1e3 5.5e+2 -0.2 0.05 0.97 -0.12 2\r\n", positions[min(joint, len(positions)-1)])
	}
	return b.String()
}

// ntuFile is the text of a file whose frames hold the given bodies.
func ntuFile(frames ...[]string) string {
	text := fmt.Sprintf("%d\r\n", len(frames))
	for _, bodies := range frames {
		text += fmt.Sprintf("%d\r\n%s", len(bodies), strings.Join(bodies, ""))
	}
	return text
}

// ntuPositions are the positions of the joints of somebody who stands before a Kinect, dx to the right of its axis.
func ntuPositions(dx float64) []string {
	var positions []string
	for joint := range 25 {
		x, y := 0.1*float64(joint%5)-0.2, 0.9-0.07*float64(joint)
		positions = append(positions, fmt.Sprintf("%.7g %.7g %.7g", x+dx, y, 3.2+0.01*float64(joint%7)))
	}
	return positions
}
