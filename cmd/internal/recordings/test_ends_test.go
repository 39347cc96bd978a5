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

// Where each class has one recording, no test can be drawn: the import says so, and --test-ends tests on the last fifth
// of each, a window apart.
func TestOneRecordingOfEachClass(t *testing.T) {
	folder := holed(t, 500, func(int, int) bool { return false })
	one := t.TempDir()
	for _, class := range []string{"on", "off"} {
		put(t, one, class+"/day.csv", "time,v\n"+many(1, headed(500, func(i int) string {
			return fmt.Sprintf("%.3f,%d", float64(i)/1000, i*i%17)
		})...))
	}
	window := recording.Cut{Window: recording.Span{Length: 50, Timepoints: true},
		Step: recording.Span{Length: 25, Timepoints: true}}
	for _, o := range []Options{{}, {Cut: window}} {
		m := noted(t, o, one)
		assert.True(t, m.Undrawable)
		messagetest.OneNames(t, m.Notes, "one recording … --test-ends … another day")
		assert.False(t, noted(t, o, folder).Undrawable)
	}
	result, d := imported(t, Options{Cut: window, TestEnds: true}, one)
	assert.Equal(t, testEnds, result.SplitBy)
	assert.Equal(t, []int{2 * 13, 2 * 3}, []int{result.Training, result.Test},
		"of 19 windows, three are less than one apart")
	assert.Empty(t, result.Groups)
	assert.Len(t, d.Test, 6)
}

// noted imports, and returns what it made.
func noted(t *testing.T, o Options, input string) *Result {
	t.Helper()
	result, err := Import(t.Context(), []string{input}, filepath.Join(t.TempDir(), "made.npz"), o)
	require.NoError(t, err)
	return result
}
