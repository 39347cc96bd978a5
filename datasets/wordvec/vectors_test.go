package wordvec

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ExampleVectors_Nearest() {
	v := &Vectors{Dim: 2, Words: []string{"cat", "dog", "car"}, Values: []float32{3, 4, 4, 3, -4, 3}}
	near, err := v.Nearest("cat", 2)
	fmt.Println(near, err)
	// Output: [{dog 0.96} {car 0}] <nil>
}

func TestNearest(t *testing.T) {
	v := &Vectors{Dim: 2, Words: []string{"a", "b", "zero", "opposite", "long"}, Values: []float32{1, 0, 1, 0, 0, 0, -2, 0, 9, 0}}
	near, err := v.Nearest("a", 9)
	require.NoError(t, err)
	assert.Equal(t, []Neighbour{{"b", 1}, {"long", 1}, {"zero", 0}, {"opposite", -1}}, near, "ties in the words' order")
	near, err = v.Nearest("zero", 1)
	require.NoError(t, err)
	assert.Equal(t, []Neighbour{{"a", 0}}, near)
	for _, n := range []int{0, -1} {
		near, err = v.Nearest("a", n)
		require.NoError(t, err)
		assert.Empty(t, near)
	}
	near, err = (&Vectors{Dim: 1, Words: []string{"a"}, Values: []float32{1}}).Nearest("a", 3)
	require.NoError(t, err)
	assert.Empty(t, near)
	_, err = v.Nearest("A", 3)
	assert.ErrorContains(t, err, `word "A" is not among the 5 words`)
}

func TestRow(t *testing.T) {
	v := &Vectors{Dim: 2, Words: []string{"a", "b"}, Values: []float32{1, 2, 3, 4}}
	assert.Equal(t, []float32{3, 4}, v.Row(1))
	_ = append(v.Row(0), 9) // does not reach into the next row
	assert.Equal(t, []float32{1, 2, 3, 4}, v.Values)
}
