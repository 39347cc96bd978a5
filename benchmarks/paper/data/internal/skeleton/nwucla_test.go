package skeleton

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/internal/messagetest"
)

// nwuclaFile is the text of a file of n frames; joint j of frame f is at (f, j, 3).
func nwuclaFile(frames, label int) []byte {
	var poses [][20][3]float32
	for frame := range frames {
		var pose [20][3]float32
		for joint := range pose {
			pose[joint] = [3]float32{float32(frame), float32(joint), 3}
		}
		poses = append(poses, pose)
	}
	file, err := json.Marshal(map[string]any{"file_name": "a01_s01_e00_v01", "skeletons": poses, "label": label})
	if err != nil {
		panic(err)
	}
	return file
}

func TestParseNWUCLA(t *testing.T) {
	r, label, err := ParseNWUCLA(nwuclaFile(3, 7))
	require.NoError(t, err)
	assert.Equal(t, 7, label)
	assert.Equal(t, 3, r.Frames)
	require.Len(t, r.Bodies, 1)
	assert.Equal(t, []int{0, 1, 2}, r.Bodies[0].Frames)
	assert.Equal(t, []float32{2, 0, 3, 2, 1, 3}, r.Bodies[0].pose(2)[:6])
}

func TestParseNWUCLAErrors(t *testing.T) {
	good := string(nwuclaFile(2, 1))
	for text, want := range map[string]string{
		"":                           "not the JSON",
		"[1]":                        "not the JSON",
		good[:len(good)/2]:           "JSON … unexpected end",
		`{"label":1}`:                `no frames in "skeletons"`,
		`{"skeletons":[],"label":1}`: `no frames in "skeletons"`,
		`{"skeletons":[[]]}`:         "skeletons[0] has 0 joints, want 20",
		strings.Replace(good, "[0,7,3]", "[0,7]", 1):   "skeletons[0][7] has 2 coordinates, want 3",
		strings.Replace(good, "[1,4,3],", "", 1):       "skeletons[1] has 19 joints, want 20",
		strings.Replace(good, "[1,4,3]", `["a"]`, 1):   "not the JSON",
		strings.Replace(good, "[1,4,3]", "[1e99]", 1):  "not the JSON",
		strings.Replace(good, "[1,4,3]", "[NaN,1]", 1): "not the JSON",
	} {
		_, _, err := ParseNWUCLA([]byte(text))
		messagetest.Names(t, err, want)
	}
}

// FuzzParseNWUCLA parses and prepares anything.
func FuzzParseNWUCLA(f *testing.F) {
	f.Add(nwuclaFile(1, 1))
	f.Add(nwuclaFile(3, 10))
	f.Add([]byte(`{"skeletons":[[[1,2,3],null]],"label":-1}`))
	p := Preparation{Layout: &KinectV1, Frames: 5, Bodies: 1}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, _, err := ParseNWUCLA(text)
		if err != nil {
			return
		}
		checkRecording(t, r, 20)
		if signal, err := p.Signal(r); err == nil {
			for _, v := range signal {
				require.True(t, finite(float64(v)))
			}
		}
	})
}

func ExampleParseNWUCLA() {
	r, label, err := ParseNWUCLA(nwuclaFile(31, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Frames, label)
	// Output: 31 2
}
