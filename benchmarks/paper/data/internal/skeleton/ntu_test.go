package skeleton

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// TestParseNTU reads a file with what the real ones have: frames without a body, three bodies, ids that change or come
// twice in a frame, NaN.
func TestParseNTU(t *testing.T) {
	const one, two, three = "72057594037931101", "72057594037931102", "72057594037931103"
	r, err := ParseNTU([]byte(ntuFile(
		nil,
		[]string{ntuBody(one, "1 2 3", "0.5 -0.25 4e0")},
		[]string{ntuBody(two, "7 8 9"), ntuBody(one, "1.5 2 3"), ntuBody(three, "0 0 0")},
		nil,
		[]string{ntuBody(two, "NaN -1.#IND nan"), ntuBody(two, "3 3 3")},
	)))
	require.NoError(t, err)
	assert.Equal(t, 5, r.Frames)
	require.Len(t, r.Bodies, 4)
	for i, want := range []struct {
		id     string
		frames []int
	}{{one, []int{1, 2}}, {two, []int{2, 4}}, {three, []int{2}}, {two, []int{4}}} {
		assert.Equal(t, want.id, r.Bodies[i].ID)
		assert.Equal(t, want.frames, r.Bodies[i].Frames)
		assert.Len(t, r.Bodies[i].Joints, 75*len(want.frames))
	}
	assert.Equal(t, []float32{1, 2, 3, 0.5, -0.25, 4}, r.Bodies[0].Joints[:6])
	assert.Equal(t, []float32{1.5, 2, 3, 1.5, 2, 3}, r.Bodies[0].Joints[75:81])
	for _, v := range r.Bodies[1].Joints[75:] {
		assert.True(t, math.IsNaN(float64(v)))
	}
}

// TestParseNTULayout puts all tokens on one line, then each on a line of its own.
func TestParseNTULayout(t *testing.T) {
	text := ntuFile([]string{ntuBody("1", ntuPositions(0)...)}, []string{ntuBody("1", ntuPositions(1)...)})
	want, err := ParseNTU([]byte(text))
	require.NoError(t, err)
	for _, space := range []string{" ", "\n", "\t  \r\n"} {
		got, err := ParseNTU([]byte(space + strings.Join(strings.Fields(text), space)))
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func TestParseNTUErrors(t *testing.T) {
	good := ntuFile([]string{ntuBody("1", "1 2 3")}, []string{ntuBody("1", "1 2 3")})
	lines := strings.SplitAfter(good, "\n")
	until := func(line int) string { return strings.Join(lines[:line], "") }
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "line 1 … ends … number of frames"},
		"html":           {"<html>", `line 1 … "<html>" … number of frames`},
		"frames missing": {until(29), "frame 2 of 2 … line 30 … ends … number of bodies"},
		"body missing": {until(30),
			"frame 2 of 2 … body 1 of 1 … line 31 … ends … 10 values"},
		"joint count": {until(31),
			"frame 2 of 2 … body 1 of 1 … line 32 … ends … number of joints"},
		"joints missing": {until(40),
			"frame 2 of 2 … body 1 of 1 … joint 9 … line 41 … ends … x"},
		"within a joint":     {until(40) + "1 2", "joint 9 … line 41 … ends … z"},
		"joint cut short":    {until(40) + "1 2 3 4", "joint 9 … line 41 … ends … 12 values"},
		"joints of a v1":     {strings.Replace(good, "\n25\r", "\n20\r", 1), "frame 1 of 2 … body 1 of 1 … 20 joints … 25"},
		"too many bodies":    {"1\n1000000\n", `frame 1 of 1 … line 2 … "1000000" … bodies from 0 to 6`},
		"many frames":        {"999999999\n0\n", "frames from 0 to 12"},
		"a word for a place": {strings.Replace(good, "1 2 3 ", "1 two 3 ", 1), `joint 1 … line 5 … "two" … y`},
	} {
		_, err := ParseNTU([]byte(c.text))
		messagetest.Names(t, err, c.want, name)
	}
}

// FuzzParseNTU parses and prepares anything.
func FuzzParseNTU(f *testing.F) {
	f.Add([]byte("0"))
	f.Add([]byte("2\n0\n0\n"))
	f.Add([]byte(ntuFile(nil, []string{ntuBody("1", "1 2 3")})))
	f.Add([]byte(ntuFile([]string{ntuBody("1", ntuPositions(0)...), ntuBody("2", ntuPositions(1)...)},
		[]string{ntuBody("3", ntuPositions(1.1)...)})))
	f.Add([]byte(ntuFile([]string{ntuBody("1", "NaN 1e30 -1e-30")})[:900]))
	p := Preparation{Layout: &KinectV2, Frames: 8, Bodies: 2}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := ParseNTU(text)
		if err != nil {
			return
		}
		checkRecording(t, r, 25)
		if signal, err := p.Signal(r); err == nil {
			for _, v := range signal {
				require.True(t, finite(float64(v)))
			}
		}
	})
}

// checkRecording checks what every parser promises.
func checkRecording(t *testing.T, r *Recording, joints int) {
	t.Helper()
	for _, b := range r.Bodies {
		require.NotEmpty(t, b.Frames)
		require.Len(t, b.Joints, len(b.Frames)*joints*3)
		require.GreaterOrEqual(t, b.first(), 0)
		require.Less(t, b.last(), r.Frames)
		for i := 1; i < len(b.Frames); i++ {
			require.Less(t, b.Frames[i-1], b.Frames[i])
		}
	}
}

func ExampleParseNTU() {
	r, err := ParseNTU([]byte(ntuFile(nil, []string{ntuBody("72057594037931101", ntuPositions(0)...)})))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Frames, len(r.Bodies), r.Bodies[0].Frames)
	// Output: 2 1 [1]
}
