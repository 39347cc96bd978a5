package recordings

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Samples of like times share them. None gets those of another, also if its lines come late, or its dates are turned.
func TestSharedTimes(t *testing.T) {
	head := "sample,time,hip,label\n"
	text := head
	for i := range 4 {
		text += fmt.Sprintf("s%d,0,1,a\ns%d,1,2,a\n", i, i)
	}
	r, err := readKnown(t, []string{put(t, t.TempDir(), "r.csv", text+"s3,2,3,a\ns1,5,4,a\ns0,3,5,a\n")}, Table{}, nil, 0)
	require.NoError(t, err)
	for i, want := range [][]float64{{0, 1, 3}, {0, 1, 5}, {0, 1}, {0, 1, 2}} {
		assert.Equal(t, want, r.samples[i].Times, "sample %d", i)
	}
	r, err = readKnown(t, []string{put(t, t.TempDir(), "r.csv", text)}, Table{}, nil, 0)
	require.NoError(t, err)
	assert.Same(t, &r.samples[0].Times[0], &r.samples[2].Times[0])

	text = head
	for i := range 4 {
		text += fmt.Sprintf("s%d,02/01/2024,1,a\ns%d,03/01/2024,2,a\n", i, i)
	}
	r, err = readKnown(t, []string{put(t, t.TempDir(), "r.csv", text)}, Table{Dates: "month"}, nil, 0)
	require.NoError(t, err)
	for _, x := range r.samples {
		assert.Equal(t, float64(29*24*3600), x.Times[1]-x.Times[0], "from the 1st of February to the 1st of March")
	}
}

// A sample has little more memory than its values need.
func TestRoom(t *testing.T) {
	text := "sample,time,hip,head,label\n"
	for i, timepoints := range []int{700, 300, 900, 20, 20} {
		for timepoint := range timepoints {
			text += fmt.Sprintf("s%d,%d,1,2,%c\n", i, timepoint, 'a'+i%2)
		}
	}
	r, err := read(t, []string{put(t, t.TempDir(), "r.csv", text)}, Options{})
	require.NoError(t, err)
	for i, x := range r.samples {
		if values := len(x.Values); i < len(r.samples)-1 {
			assert.LessOrEqual(t, cap(x.Values), values+values/6, x.Name)
		}
	}
}
