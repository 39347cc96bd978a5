package signal

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
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

// Check refuses what no data set has and a changed model.json may have.
func TestCheck(t *testing.T) {
	valid := func() *Info {
		return &Info{Nodes: 3, Channels: 2, ClassNames: []string{"a", "b"}, Mean: []float32{0, 0}, Std: []float32{1, 1},
			Range: &Range{[]float32{0, 0}, []float32{1, 1}, []float32{1, 1}}, Baseline: make([]float32, 6)}
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
