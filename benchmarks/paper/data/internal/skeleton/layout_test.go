package skeleton

import (
	"fmt"
	"testing"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		layout        *Layout
		joints, edges int // edges over 80 frames
	}{{&KinectV1, 20, 80*19 + 79*20}, {&KinectV2, 25, 3895}} {
		for _, pair := range append([][2]int{{c.layout.Origin, 0}, c.layout.X, c.layout.Y},
			append(c.layout.Bones, c.layout.Sides...)...) {
			assert.True(t, min(pair[0], pair[1]) >= 0 && max(pair[0], pair[1]) < c.joints, "%v", pair)
		}
		assert.Len(t, c.layout.Joints, c.joints)
		assert.Len(t, c.layout.Bones, c.joints-1, "a tree")
		graph, err := c.layout.Graph(80)
		require.NoError(t, err)
		assert.Equal(t, []int{80 * c.joints, c.edges}, []int{graph.N(), graph.Edges()})
		assert.Equal(t, 1, graph.Stats().Components)
		names := recording.NodeNames(c.layout.Joints, 80)
		require.Len(t, names, graph.N())
		assert.Equal(t, "head@12", names[12*c.joints+3])
		seen := map[string]bool{}
		for _, name := range c.layout.Joints {
			assert.False(t, seen[name], name)
			seen[name] = true
		}
		for _, pair := range c.layout.Sides {
			left, right := c.layout.Joints[pair[0]], c.layout.Joints[pair[1]]
			assert.Equal(t, "left", left[:4])
			assert.Equal(t, "right"+left[4:], right)
		}
		assert.Equal(t, "right shoulder", c.layout.Joints[c.layout.X[0]])
		assert.Equal(t, "left shoulder", c.layout.Joints[c.layout.X[1]])
	}
}

// TestKinectV2Names checks the table against the numbers of the format's description, which count from 1.
func TestKinectV2Names(t *testing.T) {
	for number, name := range map[int]string{1: "spine base", 2: "mid spine", 4: "head", 5: "left shoulder",
		9:  "right shoulder",
		20: "right foot", 21: "shoulder spine", 25: "right thumb"} {
		assert.Equal(t, name, KinectV2.Joints[number-1])
	}
	assert.Equal(t, []int{1, 8, 4, 0, 20}, []int{KinectV2.Origin, KinectV2.X[0], KinectV2.X[1], KinectV2.Y[0],
		KinectV2.Y[1]})
}

func ExampleLayout() {
	graph, err := KinectV2.Graph(80)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(graph.N(), graph.Edges(), recording.NodeNames(KinectV2.Joints, 80)[80])
	// Output: 2000 3895 left elbow@3
}
