package picture

import (
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMap(t *testing.T) {
	grid, err := affinity.Grid(2, 4, 4)
	require.NoError(t, err)
	m := NewLayout(grid, Nodes{Grid: []int{2, 4}}).Map()
	assert.Equal(t, []float64{480, 240}, []float64{m.Width, m.Height})
	assert.Equal(t, []float64{60, 180, 300, 420, 60, 180, 300, 420}, m.X)
	assert.Equal(t, []float64{60, 60, 60, 60, 180, 180, 180, 180}, m.Y, "the first row is above")
	assert.Equal(t, "m-60 -60h120.3v120.3h-120.3z", m.Shape)
	assert.Equal(t, []float64{60, 60}, m.Reach)
	assert.Empty(t, m.Axes)

	m = NewLayout(grid, skeleton([][]int{{1}, {0}}, 4, "hip", "<b>")).Map()
	assert.Equal(t, []float64{480, 94}, []float64{m.Width, m.Height}, "two rows of 36, and the frames' numbers")
	assert.Equal(t, []float64{54, 18, 54, 18, 54, 18, 54, 18}, m.Y, "by the parts of the body")
	assert.Contains(t, m.Axes, `y="18.0">&lt;b&gt;</text>`)
	assert.Contains(t, m.Axes, `y="54.0">hip</text>`)
	assert.Contains(t, m.Axes, `y="84.0">3</text>`)
	assert.Contains(t, m.Axes, `<path class="rule" d="M37.0 36.0h443.0"/>`)

	line, err := affinity.New(3, []affinity.Edge{{I: 0, J: 1, Weight: 1}, {I: 1, J: 2, Weight: 1}})
	require.NoError(t, err)
	m = NewLayout(line, Nodes{Coordinates: []float64{0, 0, 1, 2, 2, 4}}).Map()
	assert.Equal(t, []float64{468, 240, 12}, m.Y, "upwards")
	assert.Equal(t, []float64{126, 240, 354}, m.X)
	assert.Equal(t, "m-9 0a9 9 0 1 0 18 0a9 9 0 1 0 -18 0", m.Shape)
}
