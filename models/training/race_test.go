package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A network has no hope far behind the transforms, or, once half of the steps are done, without a gain and without
// coming nearer.
func TestHopeless(t *testing.T) {
	assert.Equal(t, []int{300, 600}, looksAt(1200))
	for _, c := range []struct {
		name     string
		look     look
		before   []float64
		hopeless bool
	}{
		{"first look, a little behind", look{transforms: 10, network: 37}, nil, false},
		{"first look, far behind", look{transforms: 10, network: 39}, nil, true},
		{"first look, transforms nearly without a mistake", look{transforms: 0.1, network: 3}, nil, false},
		{"second look, a gain", look{transforms: 10, network: 12, gain: 0.1}, []float64{12}, false},
		{"second look, no gain", look{transforms: 10, network: 12}, []float64{12}, true},
		{"second look, falls from 16 to 12, and then to 9", look{transforms: 10, network: 12}, []float64{16}, false},
		{"second look, falls from 14 to 12, and then to 10.3", look{transforms: 10, network: 12}, []float64{14}, true},
	} {
		assert.Equal(t, c.hopeless, c.look.isHopeless(c.before), c.name)
	}
}
