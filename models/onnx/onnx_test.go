package onnx

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTooLarge: protobuf cannot hold it, and the reader would only say that the file is damaged.
func TestTooLarge(t *testing.T) {
	g := &Graph{bytes: 1<<31 - 1<<20}
	_, err := g.Model("ccp", "")
	require.EqualError(t, err, "its constants take 2146435072 bytes; an ONNX file holds less than 2 GiB")
}

// Names are unique in a scope, and a constant is there once.
func TestNames(t *testing.T) {
	g := &Graph{Scope: "a/"}
	x := g.Input("x", "batch", 3)
	assert.Equal(t, "a/Add", g.Op("Add", x, []float32{1, 2, 3}))
	assert.Equal(t, "a/Add_2", g.Op("Add", x, []float32{1, 2, 3}))
	assert.Equal(t, g.Constant(2), g.Constant([]int64{2}[0]))
	assert.NotEqual(t, g.Constant(2), g.Constant([]int{2}), "which has one dimension")
	assert.Len(t, g.initializers, 3)
}
