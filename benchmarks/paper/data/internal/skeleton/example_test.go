package skeleton_test

import (
	"fmt"

	"github.com/clusterpool/ccp/benchmarks/paper/data/internal/skeleton"
)

// A skeleton of one's own is a table; somebody walks two steps of half a spine.
func ExamplePreparation() {
	layout := skeleton.Layout{
		Joints: []string{"waist", "neck", "right shoulder", "left shoulder"},
		Bones:  [][2]int{{0, 1}, {1, 2}, {1, 3}},
		Sides:  [][2]int{{3, 2}}, // left, right
		Origin: 0,                // the waist
		X:      [2]int{2, 3},     // from the right to the left shoulder
		Y:      [2]int{0, 1},     // up the spine, whose length is the unit
	}
	recording := skeleton.Recording{Frames: 2, Bodies: []skeleton.Body{{
		Frames: []int{0, 1},
		Joints: []float32{
			5, 1, 3, 5, 1.5, 3, 4.8, 1.5, 3, 5.2, 1.5, 3,
			5.5, 1, 3, 5.5, 1.5, 3, 5.3, 1.5, 3, 5.7, 1.5, 3,
		},
	}}}
	p := skeleton.Preparation{Layout: &layout, Frames: 3, Bodies: 1}
	signal, err := p.Signal(&recording)
	if err != nil {
		fmt.Println(err)
		return
	}
	for frame := range 3 {
		fmt.Printf("%.2f\n", signal[12*frame:12*frame+6]) // waist and neck
	}
	// Output:
	// [0.00 0.00 0.00 0.00 1.00 0.00]
	// [0.50 0.00 0.00 0.50 1.00 0.00]
	// [1.00 0.00 0.00 1.00 1.00 0.00]
}
