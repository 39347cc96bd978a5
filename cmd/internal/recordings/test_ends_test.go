package recordings

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
)

// Where each class has one recording, no test can be drawn. Of windows the last fifth of each recording is the test, a
// window apart, and the import says that this tells little about another day; without windows it says what to do.
func TestOneRecordingOfEachClass(t *testing.T) {
	folder := holed(t, 500, func(int, int) bool { return false })
	one := t.TempDir()
	for _, class := range []string{"on", "off"} {
		put(t, one, class+"/day.csv", "time,v\n"+many(1, headed(500, func(i int) string {
			return fmt.Sprintf("%.3f,%d", float64(i)/1000, i*i%17)
		})...))
	}
	m := noted(t, Options{}, one)
	assert.True(t, m.Undrawable)
	messagetest.OneNames(t, m.Notes, "one recording … --window … another day")
	assert.False(t, noted(t, Options{}, folder).Undrawable)
	cut := Options{Cut: recording.Cut{Window: recording.Span{Length: 50, Timepoints: true},
		Step: recording.Span{Length: 25, Timepoints: true}}}
	assert.Equal(t, "", noted(t, cut, folder).SplitBy, "several recordings of each class")
	result, d := imported(t, cut, one)
	assert.Equal(t, testEnds, result.SplitBy)
	messagetest.OneNames(t, result.Notes, "one recording … last fifth … a window apart … another day")
	assert.Equal(t, []int{2 * 13, 2 * 3}, []int{result.Training, result.Test},
		"of 19 windows, three are less than one apart")
	assert.Empty(t, result.Groups)
	for _, i := range d.Test {
		for _, j := range d.Train {
			if a, b := d.Windows[j], d.Windows[i]; a.Stretch == b.Stretch {
				assert.GreaterOrEqual(t, b.Start-a.End, 0.05-1e-9)
			}
		}
	}
}

// noted imports, and returns what it made.
func noted(t *testing.T, o Options, input string) *Result {
	t.Helper()
	result, err := Import(t.Context(), []string{input}, filepath.Join(t.TempDir(), "made.npz"), o)
	require.NoError(t, err)
	return result
}
