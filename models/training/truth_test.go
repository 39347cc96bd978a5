package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// A model that was trained on classes True and False, or 1.0 and 10.0, as a CSV of pandas had them, is tested on true
// and false, or 1 and 10, of Parquet.
func TestClassesOfOtherFormatsAreTheModels(t *testing.T) {
	d, m := &datasets.Dataset{}, models.Metadata{}
	d.ClassNames, d.Labels, m.ClassNames = []string{"false", "true"}, []int32{0, 1, 1}, []string{"True", "False"}
	own, err := ofModel(d, m, "r.npz")
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 0, 0}, own.Labels)
	assert.Equal(t, m.ClassNames, own.ClassNames)
	d.ClassNames, m.ClassNames = []string{"1", "10"}, []string{"10.0", "1.0"}
	own, err = ofModel(d, m, "r.npz")
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 0, 0}, own.Labels)
	d.ClassNames = []string{"Walk", "true"}
	m.ClassNames = []string{"walk", "true"}
	_, err = ofModel(d, m, "r.npz")
	assert.ErrorContains(t, err, "has the classes", "other names count as they are written")
}
