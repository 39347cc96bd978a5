package scale

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNormalize(t *testing.T) {
	raw := []float32{1, 5, 3, 7, 5, 6}
	dst := make([]float32, 7)
	Normalize(dst, raw, []float32{3, 5}, []float32{2, 0.5})
	assert.Equal(t, []float32{-1, 0, 0, 4, 1, 2, 0}, dst)
	Normalize(raw, raw, []float32{3, 5}, []float32{2, 0.5})
	assert.Equal(t, dst[:6], raw, "in place")
	Normalize(nil, nil, []float32{0}, []float32{1})
}
