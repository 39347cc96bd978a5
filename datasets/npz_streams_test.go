package datasets

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/npz"
)

// Where windows and their stretches are there without the settings of an import, as the Python package writes them of
// recorders' files, they tell how recordings were cut.
func TestCutOfWindows(t *testing.T) {
	a, _ := lab()
	a["stretches"] = matrixOf(4, 0, 0, 5, 0, 0, 5, 9.5, 1)
	cuts := []float64{0, 0, 2, 0, 0.5, 2.5, 0, 1, 3, 0, 3, 5} // one between the last two was left out
	for i := range 6 {
		cuts = append(cuts, 1, 5+0.5*float64(i), 7+0.5*float64(i))
	}
	a["windows"] = matrixOf(3, cuts...)
	cut := func() *recording.Cut { return a.load(t, Options{}).Form.Cut }
	assert.Equal(t, &recording.Cut{Window: recording.Span{Length: 2, Timepoints: true},
		Step: recording.Span{Length: 0.5, Timepoints: true}}, cut())
	a["rate"] = &npz.Array{Data: []float64{3}}
	assert.Equal(t, &recording.Cut{Window: recording.Span{Length: 2}, Step: recording.Span{Length: 0.5}}, cut())
	a["recording"] = vectorOf(`{"sensors":["sensor 0","sensor 1","sensor 2"],"channels":2,"rate":3,` +
		`"cut":{"window":"4s","step":"1s"}}`)
	assert.Equal(t, &recording.Cut{Window: recording.Span{Length: 4}, Step: recording.Span{Length: 1}}, cut())
}
