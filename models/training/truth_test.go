package training

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/clusterpool/ccp/datasets"
	"github.com/clusterpool/ccp/models"
)

// A model that was trained on classes True and False, as a CSV had them, is tested on true and false of Parquet, and the other way round.
func TestTruthValuesInAnyCaseAreTheModelsClasses(t *testing.T) {
	d, m := &datasets.Dataset{}, models.Metadata{}
	d.ClassNames, d.Labels, m.ClassNames = []string{"false", "true"}, []int32{0, 1, 1}, []string{"True", "False"}
	own, err := ofModel(d, m, "r.npz")
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 0, 0}, own.Labels)
	assert.Equal(t, m.ClassNames, own.ClassNames)
	d.ClassNames = []string{"Walk", "true"}
	m.ClassNames = []string{"walk", "true"}
	_, err = ofModel(d, m, "r.npz")
	assert.ErrorContains(t, err, "has the classes", "other names count as they are written")
}
