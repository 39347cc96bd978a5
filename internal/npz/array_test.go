package npz

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/clusterpool/ccp/internal/messagetest"
)

func TestConversions(t *testing.T) {
	for _, data := range []any{
		[]int8{0, 1, 2}, []int16{0, 1, 2}, []int32{0, 1, 2}, []int64{0, 1, 2},
		[]uint8{0, 1, 2}, []uint16{0, 1, 2}, []uint32{0, 1, 2}, []uint64{0, 1, 2}, []float32{0, 1, 2}, []float64{0, 1, 2},
	} {
		a := &Array{Shape: []int{3}, Data: data}
		assert.Equal(t, 3, a.Len())
		ints, err := a.Ints()
		assert.NoError(t, err)
		assert.Equal(t, []int64{0, 1, 2}, ints, a.Kind())
		floats, err := a.Floats()
		assert.NoError(t, err)
		assert.Equal(t, []float64{0, 1, 2}, floats, a.Kind())
		singles, err := a.Float32s()
		assert.NoError(t, err)
		assert.Equal(t, []float32{0, 1, 2}, singles, a.Kind())
		_, err = a.Strings()
		assert.ErrorContains(t, err, "elements are "+a.Kind()+", want strings")
	}

	a := &Array{Shape: []int{2}, Data: []bool{true, false}}
	ints, err := a.Ints()
	assert.NoError(t, err)
	assert.Equal(t, []int64{1, 0}, ints)

	a = &Array{Shape: []int{1}, Data: []string{"x"}}
	texts, err := a.Strings()
	assert.NoError(t, err)
	assert.Equal(t, []string{"x"}, texts)
	_, err = a.Ints()
	messagetest.Names(t, err, "string … integers")
	_, err = a.Floats()
	messagetest.Names(t, err, "string … numbers")
	_, err = a.Float32s()
	messagetest.Names(t, err, "string … numbers")
}

func TestIntsMustBeExact(t *testing.T) {
	for _, c := range []struct {
		data any
		want string
	}{
		{[]uint64{1, 1 << 63}, "element 1 is 9223372036854775808"},
		{[]float32{0.5}, "element 0 … 0.5 … whole number"},
		{[]float64{0, 1, math.NaN()}, "element 2 is NaN"},
		{[]float64{math.Inf(-1)}, "element 0 is -Inf"},
		{[]float64{1e17}, "element 0 is 1e+17"},
	} {
		_, err := (&Array{Data: c.data}).Ints()
		messagetest.Names(t, err, c.want)
	}
}

func TestUnsupportedData(t *testing.T) {
	a := &Array{}
	assert.Zero(t, a.Len())
	assert.Equal(t, "<nil>", a.Kind())
	_, err := a.Floats()
	messagetest.Names(t, err, "<nil> … numbers")
}
