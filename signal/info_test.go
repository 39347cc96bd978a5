package signal

import (
	"testing"

	"github.com/stretchr/testify/assert"
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
