package recordings

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// holed writes recordings of a hundred time points a second, without the lines that are lost.
func holed(t *testing.T, timepoints int, lost func(recording, i int) bool) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for r := range 8 {
		var b strings.Builder
		b.WriteString("time,v\n")
		for i := range timepoints {
			if !lost(r, i) {
				fmt.Fprintf(&b, "%.2f,%d\n", float64(i)/100, (i*i+r)%17)
			}
		}
		put(t, folder, fmt.Sprintf("%c/r%d.csv", 'a'+r%2, r), b.String())
	}
	return folder
}

// An import counts what lies in holes, and names the worst recording and the longest hole. It hands both on to the
// classifier, which refuses recordings with more.
func TestImportCountsHoles(t *testing.T) {
	result, d := imported(t, Options{}, holed(t, 500, func(r, i int) bool {
		return i >= 100 && i < 150 || r == 3 && i >= 200 && i < 440
	}))
	h := result.Filled.Holes
	assert.Equal(t, 8*50+240, h.Values)
	assert.Equal(t, 8*500, h.Of)
	assert.Equal(t, 8, h.Samples)
	assert.InDelta(t, 0.58, h.Most, 1e-9)
	assert.InDelta(t, 2.41, h.Longest, 1e-6)
	assert.Contains(t, h.MostIn, "r3.csv")
	assert.Contains(t, h.LongestIn, "r3.csv")
	messagetest.OneNames(t, result.Notes, "half … 1 of 8 samples … r3.csv")
	require.NotNil(t, d.Form.Holes)
	assert.InDelta(t, 0.58, d.Form.Holes.Share, 1e-9)

	result, d = imported(t, Options{}, holed(t, 500, func(_, i int) bool { return i == 77 || i == 300 }))
	assert.Nil(t, result.Filled.Holes)
	assert.Zero(t, d.Form.Holes.Share)
	all, _, err := ReadUnlabelled(t.Context(), []string{holed(t, 500, func(_, i int) bool { return i > 100 && i < 300 })},
		d.Form)
	require.NoError(t, err)
	_, _, err = d.Form.Series(all[0])
	messagetest.Names(t, err, "40% … made up … training … 0%")
}

// A recording that begins without values keeps its places in an import, which says so.
func TestImportKeepsLateStarts(t *testing.T) {
	folder := t.TempDir()
	for r := range 4 {
		var b strings.Builder
		b.WriteString("v,w\n")
		for i := range 60 {
			switch {
			case i < 10*r:
				b.WriteString(",\n")
			case i == 40:
				b.WriteString("1000,1\n")
			default:
				fmt.Fprintf(&b, "%d,%d\n", i%7, i%5)
			}
		}
		put(t, folder, fmt.Sprintf("%c/r%d.csv", 'a'+r%2, r), b.String())
	}
	result, d := imported(t, Options{}, folder)
	messagetest.OneNames(t, result.Notes, "3 of 4 samples … without values … 30 time points … r3.csv")
	for _, series := range d.Series {
		assert.Equal(t, float32(1000), series[40*2])
	}
}
