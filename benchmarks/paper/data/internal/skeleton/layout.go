package skeleton

import "github.com/clusterpool/ccp/ccp/affinity"

// Layout describes a kind of skeleton: the names of its joints, the bones, and the joints that give the body's
// coordinates. Joints count from 0.
type Layout struct {
	// Joints names each joint, in the order of the files.
	Joints []string
	// Bones are the pairs of joints that a bone joins.
	Bones [][2]int
	// Sides are the joints that the body has twice, left and right.
	Sides [][2]int
	// Parts are the joints of each part of the body: trunk, left and right arm, left and right leg.
	Parts [][]int
	// Origin is the joint at the origin of the body's own coordinates.
	Origin int
	// X are the ends of the body's x axis: its right and its left shoulder.
	X [2]int
	// Hips are its right and its left hip.
	Hips [2]int
	// Y are the ends of its y axis, up the spine. Their distance is the unit of length.
	Y [2]int
}

// KinectV2 is the skeleton of the second Kinect, 25 joints, as NTU RGB+D has it.
var KinectV2 = Layout{
	Joints: []string{"spine base", "mid spine", "neck", "head",
		"left shoulder", "left elbow", "left wrist", "left hand",
		"right shoulder", "right elbow", "right wrist", "right hand",
		"left hip", "left knee", "left ankle", "left foot",
		"right hip", "right knee", "right ankle", "right foot",
		"shoulder spine", "left hand tip", "left thumb", "right hand tip", "right thumb"},
	Bones: [][2]int{{0, 1}, {1, 20}, {2, 20}, {3, 2}, {4, 20}, {5, 4}, {6, 5}, {7, 6}, {8, 20}, {9, 8}, {10, 9}, {11, 10},
		{12, 0}, {13, 12}, {14, 13}, {15, 14}, {16, 0}, {17, 16}, {18, 17}, {19, 18}, {21, 22}, {22, 7}, {23, 24}, {24, 11}},
	Sides:  [][2]int{{4, 8}, {5, 9}, {6, 10}, {7, 11}, {12, 16}, {13, 17}, {14, 18}, {15, 19}, {21, 23}, {22, 24}},
	Parts:  [][]int{{0, 1, 2, 3, 20}, {4, 5, 6, 7, 21, 22}, {8, 9, 10, 11, 23, 24}, {12, 13, 14, 15}, {16, 17, 18, 19}},
	Origin: 1, X: [2]int{8, 4}, Hips: [2]int{16, 12}, Y: [2]int{0, 20},
}

// KinectV1 is the skeleton of the first Kinect, 20 joints, as NW-UCLA has it.
var KinectV1 = Layout{
	Joints: []string{"hip centre", "spine", "shoulder centre", "head",
		"left shoulder", "left elbow", "left wrist", "left hand",
		"right shoulder", "right elbow", "right wrist", "right hand",
		"left hip", "left knee", "left ankle", "left foot",
		"right hip", "right knee", "right ankle", "right foot"},
	Bones: [][2]int{{0, 1}, {1, 2}, {2, 3}, {2, 4}, {4, 5}, {5, 6}, {6, 7}, {2, 8}, {8, 9}, {9, 10}, {10, 11},
		{0, 12}, {12, 13}, {13, 14}, {14, 15}, {0, 16}, {16, 17}, {17, 18}, {18, 19}},
	Sides:  [][2]int{{4, 8}, {5, 9}, {6, 10}, {7, 11}, {12, 16}, {13, 17}, {14, 18}, {15, 19}},
	Parts:  [][]int{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}, {16, 17, 18, 19}},
	Origin: 1, X: [2]int{8, 4}, Hips: [2]int{16, 12}, Y: [2]int{0, 2},
}

// Graph returns the graph of the layout over a number of frames. Node frame*joints + joint is a joint in a frame. Bones
// join the joints of every frame, and each joint is joined to itself in the next frame.
func (l *Layout) Graph(frames int) (*affinity.Matrix, error) {
	return affinity.SpaceTime(l.Bones, len(l.Joints), frames)
}
