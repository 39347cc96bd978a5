package recordings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Samples are named by their file or id, and by their folder or line where that is not enough.
func TestSampleNames(t *testing.T) {
	_, d := imported(t, Options{}, csvFolders(t))
	assert.Equal(t, "wave/ben_4.csv", d.SampleNames[19])
	_, d = imported(t, Options{}, put(t, t.TempDir(), "ward.csv", longCSV()))
	assert.Equal(t, "s7", d.SampleNames[7])
	_, d = imported(t, Options{}, tsFolder(t))
	assert.Equal(t, "TwoMoves/TwoMoves_TEST.ts, line 12", d.SampleNames[9])

	folder := t.TempDir()
	for i := range 20 {
		put(t, folder, fmt.Sprintf("%c/%d.csv", "ab"[i%2], i/2), "x,y\n1,3\n1,2\n")
	}
	_, d = imported(t, Options{}, folder)
	assert.Equal(t, []string{"a/0.csv", "a/1.csv"}, d.SampleNames[:2])
	assert.Equal(t, "b/9.csv", d.SampleName(19))
}
