package signal

import (
	"strings"
	"testing"

	"github.com/clusterpool/ccp/ccp/affinity"
	"github.com/clusterpool/ccp/datasets/recording"
	"github.com/clusterpool/ccp/internal/messagetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNormalize(t *testing.T) {
	raw, i := []float32{1, 5, 3, 7, 5, 6}, Info{Mean: []float32{3, 5}, Std: []float32{2, 0.5}}
	dst := make([]float32, 7)
	i.Normalize(dst, raw)
	assert.Equal(t, []float32{-1, 0, 0, 4, 1, 2, 0}, dst)
	i.Normalize(raw, raw)
	assert.Equal(t, dst[:6], raw, "in place")
	i.Normalize(nil, nil)
}

// The layout of nodes and the names of sensors are known as soon as the graph is.
func TestArrange(t *testing.T) {
	two, err := affinity.SpaceTime([][2]int{{0, 1}}, 2, 3)
	require.NoError(t, err)
	inFrames := affinity.Layout{Frames: 3, Sensors: 2}
	guessed := inFrames
	guessed.Guessed = true
	hip := []string{"hip", "a@b"}
	for name, c := range map[string]struct {
		info    Info
		layout  affinity.Layout
		sensors []string
	}{
		"no grid":           {Info{Nodes: 6}, guessed, nil},
		"a grid":            {Info{Nodes: 6, Grid: []int{3, 2}}, inFrames, nil},
		"a grid with names": {Info{Nodes: 6, Grid: []int{3, 2}, NodeNames: recording.NodeNames(hip, 3)}, inFrames, hip},
		"names that are no sensors": {Info{Nodes: 6, Grid: []int{3, 2},
			NodeNames: []string{"hip@0", "a@b@0", "a@b@1", "hip@1", "hip@2", "a@b@2"}}, inFrames, nil},
		"names without frames": {Info{Nodes: 6, Grid: []int{3, 2}, NodeNames: strings.Split("abcdef", "")}, inFrames, nil},
		"recordings": {Info{Nodes: 2, Form: &recording.Form{Sensors: hip, Frames: 1}},
			affinity.Layout{Frames: 1, Sensors: 2}, hip},
	} {
		c.info.Arrange(two)
		assert.Equal(t, c.layout, c.info.Layout, name)
		assert.Equal(t, c.sensors, c.info.SensorNames, name)
	}
	words, err := affinity.New(4, nil)
	require.NoError(t, err)
	i := Info{Nodes: 4, NodeNames: []string{"a@0", "b@0", "a@1", "b@1"}}
	i.Arrange(words)
	assert.Zero(t, i.Layout)
	assert.Nil(t, i.SensorNames, "words without a grid may hold any sign")
}

// Check refuses what no data set has and a changed model.json may have.
func TestCheck(t *testing.T) {
	valid := func() *Info {
		return &Info{Nodes: 3, Channels: 2, ClassNames: []string{"a", "b"}, Mean: []float32{0, 0}, Std: []float32{1, 1},
			Range: &Range{[]float32{0, 0}, []float32{1, 1}, []float32{1, 1}, nil}, Baseline: make([]float32, 6)}
	}
	assert.NoError(t, valid().Check())
	for want, changes := range map[string][]func(i *Info){
		`class_names[1] … "a" … class_names[0]`: {func(i *Info) { i.ClassNames[1] = "a" }},
		"range … 2 values": {
			func(i *Info) { i.Range.Most = i.Range.Most[:1] },
			func(i *Info) { i.Range.Spread = append(i.Range.Spread, 1) },
			func(i *Info) { i.Range = &Range{} },
			func(i *Info) { i.Baseline = []float32{} },
			func(i *Info) { i.Baseline = make([]float32, 2) },
		},
	} {
		for _, change := range changes {
			i := valid()
			change(i)
			messagetest.Names(t, i.Check(), want)
		}
	}
}
